// Create elements without markup in strings, since the content security policy forbids inline code.

const SVG = "http://www.w3.org/2000/svg";

/** @type {(selector: string, root?: any) => any} */
export const find = (selector, root = document) => root.querySelector(selector);
/** @type {(selector: string, root?: any) => any[]} */
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

export const button = (text, click, attributes = {}) =>
  make("button", { type: "button", click, ...attributes }, text);

// Downloads a file by clicking on a temporary link.
export function save({ blob, name }) {
  const url = URL.createObjectURL(blob);
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Asks before something is lost for good: whether the user agrees. `action` is the text of the button that does.
export function isConfirmed(question, action) {
  const dialog = find("#ask");
  find("#ask-text").textContent = question;
  find("#ask-yes").textContent = action;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

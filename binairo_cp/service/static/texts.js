// The texts of the page in the player's language. The sources have the English ones, which `t` and `n` mark
// for translators; `texts-LANGUAGE.json` has the others, and is there before any other module runs.

import { load } from "./storage.js";

const PATIENCE = 5; // seconds; after that the page shows English
const root = globalThis.document?.documentElement;

export const language = root ? chosen() : "en";
export const locale = language === "en" ? "en-GB" : language;

// What the address says, else what the player chose, else what the browser prefers.
function chosen() {
  const wanted = [new URLSearchParams(location.search).get("lang"), load("language"), ...navigator.languages];
  const known = root.dataset.languages?.split(" ") ?? [];
  return wanted.map((name) => String(name).toLowerCase().split("-")[0]).find((name) => known.includes(name)) ?? "en";
}

async function fetched() {
  root.classList.add("untranslated");
  try {
    const url = new URL(`./texts-${language}.json`, import.meta.url);
    return await (await fetch(url, { signal: AbortSignal.timeout(PATIENCE * 1000) })).json();
  } catch {
    return {};
  } finally {
    root.classList.remove("untranslated");
  }
}

const texts = language === "en" ? {} : await fetched();
const plurals = new Intl.PluralRules(locale);
const lists = new Intl.ListFormat(locale);

const filled = (text, fields) => text.replace(/\{(\w+)\}/g, (whole, name) => fields[name] ?? whole);

// A text, with values for its names in braces.
export const t = (text, fields = {}) => filled(texts[text] ?? text, fields);

// One of two texts, for one thing or several; `{number}` is the number.
export function n(number, one, many, fields = {}) {
  const forms = [texts[one] ?? [one, many]].flat();
  const form = plurals.select(number) === "one" ? forms[0] : forms.at(-1);
  return filled(form, { number: numberText(number), ...fields });
}

export const numberText = (number) => number.toLocaleString(locale);
export const listText = (items) => lists.format(items);

// A time, such as 3:07 or 1:02:03.
export function clockText(seconds) {
  const whole = Math.floor(seconds);
  const pad = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return (hours ? [hours, pad(minutes), pad(whole % 60)] : [minutes, pad(whole % 60)]).join(":");
}

// What the HTML says. An element with keys is one text, such as "<kbd>Ctrl</kbd>+<kbd>Z</kbd>: undo".
const ATTRIBUTES = ["aria-label", "placeholder", "alt", "label"];
const OTHERS = "[translate=no], svg, script, kbd";

const translated = (text) => texts[text.trim().replace(/\s+/g, " ")];

function translate(element) {
  if (element.matches(OTHERS)) return;
  for (const name of ATTRIBUTES) {
    const text = translated(element.getAttribute(name) ?? "");
    if (text) element.setAttribute(name, text);
  }
  const nodes = [...element.childNodes];
  if (nodes.some((node) => node.localName === "kbd")) return translateKeys(element, nodes);
  for (const node of nodes) {
    const text = node.nodeType === Node.TEXT_NODE && translated(node.data);
    if (text) node.data = node.data.replace(/\S(?:.*\S)?/s, () => text);
    else if (node.nodeType === Node.ELEMENT_NODE) translate(node);
  }
}

function translateKeys(element, nodes) {
  const text = translated(nodes.map((node) => (node.localName ? `<kbd>${node.textContent}</kbd>` : node.data)).join(""));
  if (!text) return;
  element.replaceChildren(...text.split(/<kbd>(.*?)<\/kbd>/).map((part, at) => {
    const key = at % 2 && document.createElement("kbd");
    if (key) key.textContent = part;
    return key || part;
  }));
}

if (language !== "en") {
  root.lang = language;
  translate(document.body);
}

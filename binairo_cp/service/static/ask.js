// Ask before something is lost for good.

import { find } from "./dom.js";

// Whether the user agrees. `action` is the text of the button that agrees.
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

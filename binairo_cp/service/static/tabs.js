// Tabs: one panel is visible, and the arrow keys move between tabs.

import { find, findAll } from "./dom.js";

let onShow = (_name) => {};
let isReady = (_name) => true;

// `ready(name)` is true if a panel can be shown, or a promise of that. `shown(name)` is called when it is.
export function install(ready, shown) {
  isReady = ready;
  onShow = shown;
  const tabs = findAll("[role=tab]");
  for (const tab of tabs) {
    tab.addEventListener("click", () => show(tab.getAttribute("aria-controls")));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
  }
}

// Whether the panel could be shown.
export async function show(name) {
  const ready = isReady(name);
  if (ready !== true && !await ready) return false;
  for (const tab of findAll("[role=tab]")) {
    const isShown = tab.getAttribute("aria-controls") === name;
    tab.ariaSelected = String(isShown);
    tab.tabIndex = isShown ? 0 : -1;
    find(`#${tab.getAttribute("aria-controls")}`).hidden = !isShown;
  }
  onShow(name);
  return true;
}

// Tabs: one panel is visible, and the arrow keys move between tabs.

import { find, findAll } from "./dom.js";

let onShow = () => {};
let before = () => null;

// `prepare(name)` may return a promise of what a panel needs before it is shown; then `shown(name)` is called.
export function install(prepare, shown) {
  before = prepare;
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

export async function show(name) {
  const ready = before(name);
  if (ready) await ready;
  for (const tab of findAll("[role=tab]")) {
    const isShown = tab.getAttribute("aria-controls") === name;
    tab.ariaSelected = String(isShown);
    tab.tabIndex = isShown ? 0 : -1;
    find(`#${tab.getAttribute("aria-controls")}`).hidden = !isShown;
  }
  onShow(name);
}

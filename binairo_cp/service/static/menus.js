// Tabs, and the menus of the page: native popovers, which close when one of their commands is chosen.

import { find, findAll } from "./dom.js";

// Focuses a button, or "More" if that hides it on a phone.
export const focusStarter = (starter) => (starter.checkVisibility() ? starter : find("#more")).focus();

// A menu closes before its command runs, and so does what "More" shows on a phone. So a dialog that the command opens
// gives the focus back to the button of the menu, or to "More".
export function install() {
  // On a phone, only what every game needs is in sight.
  const more = find("#more");
  const showMore = (isShown) => { more.ariaExpanded = String(document.body.classList.toggle("more", isShown)); };
  const isOver = () => {
    if (more.ariaExpanded !== "true") return;
    showMore(false);
    more.focus();
  };
  more.addEventListener("click", () => showMore(more.ariaExpanded !== "true"));
  for (const tool of findAll(".tools .extra")) tool.addEventListener("click", isOver);
  for (const menu of findAll("[popover]")) {
    const close = () => {
      menu.hidePopover();
      isOver();
    };
    menu.addEventListener("click", ({ target }) => { if (target.closest("button[type=button]")) close(); }, true);
    menu.addEventListener("submit", close, true);
  }
}

let onShow = (_name) => {};
let isReady = (_name) => true;

// `ready(name)` is true if a panel can be shown, or a promise of that. `shown(name)` is called when it is.
export function installTabs(ready, shown) {
  isReady = ready;
  onShow = shown;
  const tabs = findAll("[role=tab]");
  for (const tab of tabs) {
    tab.addEventListener("click", () => showTab(tab.getAttribute("aria-controls")));
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
export async function showTab(name) {
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

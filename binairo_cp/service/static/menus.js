// The menus of the page: native popovers, which close when one of their commands is chosen.

import { find, findAll } from "./dom.js";

// A menu closes before its command runs. So a dialog that the command opens gives the focus back to the
// button of the menu.
export function install() {
  // On a phone, only what every game needs is in sight.
  const more = find("#more");
  more.addEventListener("click", () => { more.ariaExpanded = String(document.body.classList.toggle("more")); });
  for (const menu of findAll("[popover]")) {
    const close = () => menu.hidePopover();
    menu.addEventListener("click", ({ target }) => { if (target.closest("button[type=button]")) close(); }, true);
    menu.addEventListener("submit", close, true);
  }
}

// The menus of the page: native popovers, which close when one of their commands is chosen.

import { findAll } from "./dom.js";

// A menu closes before its command runs. So a dialog that the command opens gives the focus back to the
// button of the menu.
export function install() {
  for (const menu of findAll("[popover]")) {
    const close = () => menu.hidePopover();
    menu.addEventListener("click", ({ target }) => { if (target.closest("button[type=button]")) close(); }, true);
    menu.addEventListener("submit", close, true);
  }
}

// The menus of the page: native popovers, which close when one of their commands is chosen.

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

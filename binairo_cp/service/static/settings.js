// How the page looks, as somebody wants it; kept in the browser.

import { find } from "./dom.js";
import { keep, load } from "./kept.js";
import { redraw } from "./symbols.js";

export function install() {
  choose("theme", "auto", (value) => { document.documentElement.dataset.theme = value; });
  choose("symbols", "auto", redraw);
}

function choose(id, usual, use) {
  const select = find(`#${id}`);
  const kept = load(id);
  select.value = [...select.options].some((option) => option.value === kept) ? kept : usual;
  use(select.value);
  select.addEventListener("change", () => {
    keep(id, select.value);
    use(select.value);
  });
}

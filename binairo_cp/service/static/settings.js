// The theme and the symbols that the user chose, stored in the browser.

import { find } from "./dom.js";
import { load, store } from "./storage.js";
import { redraw } from "./symbols.js";

export function install() {
  choose("theme", "auto", (value) => { document.documentElement.dataset.theme = value; });
  choose("symbols", "auto", redraw);
}

function choose(id, fallback, apply) {
  const select = find(`#${id}`);
  const saved = load(id);
  select.value = [...select.options].some((option) => option.value === saved) ? saved : fallback;
  apply(select.value);
  select.addEventListener("change", () => {
    store(id, select.value);
    apply(select.value);
  });
}

// How the page looks, as somebody wants it; kept in the browser.

import { find } from "./dom.js";
import { keep, load } from "./kept.js";

const LEGENDS = {
  digits: "",
  circles: "An open circle is 0, a full one 1.",
  sunmoon: "A sun is 0, a moon 1.",
};

export function install() {
  choose("theme", "auto", (value) => { document.documentElement.dataset.theme = value; });
  choose("symbols", "digits", (value) => {
    document.body.dataset.symbols = value;
    find("#legend").textContent = LEGENDS[value];
    find("#legend").hidden = !LEGENDS[value];
  });
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

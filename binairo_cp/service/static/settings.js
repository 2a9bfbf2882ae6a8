// What the user chose, stored in the browser: the theme, the symbols, and how explanations are chosen and written.

import { find, make } from "./dom.js";
import { load, store } from "./storage.js";
import { redraw } from "./names.js";
import { language } from "./texts.js";

// `onStyle` is called when explanations that are shown are no longer as the user wants them.
export function install(onStyle) {
  choose("theme", "auto", setTheme);
  choose("symbols", "auto", redraw);
  choose("marking", "live", () => {});
  turn("counts");
  choose("steps", "easiest", () => {});
  chooseLanguage();
  choose("coordinates", "auto", redraw);
  for (const id of ["symbols", "steps", "coordinates"]) find(`#${id}`).addEventListener("change", onStyle);
}

// The page begins again in the language that the user chose. The browser has stored the game.
function chooseLanguage() {
  const select = find("#language");
  select.value = language;
  select.addEventListener("change", () => {
    store("language", select.value);
    const address = new URL(location.href);
    address.searchParams.delete("lang");
    if (address.href === location.href) location.reload();
    else location.replace(address);
  });
}

// The style for electronic paper is loaded when it is chosen first.
function setTheme(value) {
  document.documentElement.dataset.theme = value;
  const sheet = find("#eink-style");
  if (sheet) sheet.disabled = value !== "eink";
  else if (value === "eink") {
    document.head.append(make("link", { id: "eink-style", rel: "stylesheet", href: new URL("eink.css", import.meta.url) }));
  }
}

// A checkbox, off by default.
function turn(id) {
  const box = find(`#${id}`);
  box.checked = load(id) === true;
  box.addEventListener("change", () => store(id, box.checked));
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

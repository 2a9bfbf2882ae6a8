// The entry point: creates the parts of the page and connects them.

import { Analysis } from "./analysis.js";
import { onKeyNeeded, onWaiting } from "./api.js";
import * as browser from "./browser.js";
import { find, findAll } from "./dom.js";
import { prune } from "./game.js";
import * as menus from "./menus.js";
import { Opening } from "./open.js";
import { Play } from "./play.js";
import * as settings from "./settings.js";
import { t } from "./texts.js";
import { installTimes } from "./times.js";
import { Win } from "./win.js";

onWaiting((reason) => { find("#waiting").textContent = reason; });
settings.install(() => {
  play.hints.renew();
  analysis.renew();
});
prune();

const play = new Play();
const opening = new Opening(play);
const openToPlay = (puzzle) => {
  menus.showTab("play");
  opening.open(puzzle);
};

// The editor, the jobs and sharing are loaded when they are used for the first time.
const loads = {
  edit: async () => new (await import("./edit.js")).Editor(openToPlay),
  batch: async () => new (await import("./batch.js")).Batch(openToPlay),
  sharing: async () => new (await import("./sharing.js")).Sharing(() => (isEditing() ? loaded.edit : play)),
};
/** @type {any[]} */
const [loading, loaded] = [{}, {}];
const load = async (name) => {
  try {
    loaded[name] = await (loading[name] ??= loads[name]());
  } catch {
    delete loading[name];
    play.message.say(t("This part of the page can’t be loaded. Reload the page."), { kind: "bad" });
  }
  return name in loaded;
};
const isEditing = () => !find("#edit").hidden;

menus.installTabs((name) => !(name in loads) || name in loaded || load(name), (name) => {
  if (name === "batch") loaded.batch.list();
  loaded.edit?.setShown(name === "edit");
});
menus.install();
if (browser.HAS_SOLVER) document.addEventListener("pointerdown", () => { browser.load().catch(() => {}); }, { once: true });
const analysis = new Analysis(play, openToPlay);
const win = new Win(play, (puzzle, level) => opening.next(puzzle, level), () => opening.daily());
const clearAnalysis = play.onOpen;
play.onOpen = () => {
  clearAnalysis();
  win.hide();
};
for (const starter of findAll("[data-action]")) {
  starter.addEventListener("click", async () => {
    if (await load("sharing")) loaded.sharing[starter.dataset.action]();
  });
}
installTimes(() => play.game);

find("#to-editor").addEventListener("click", async () => {
  if (await menus.showTab("edit")) loaded.edit.open(play.puzzle);
});

for (const name of ["help", "settings"]) find(`#show-${name}`).addEventListener("click", () => find(`#${name}`).showModal());
for (const close of findAll("dialog .close-dialog")) close.addEventListener("click", () => close.closest("dialog").close());

// The keys of the board work wherever the focus is, except where they mean something else.
document.addEventListener("keydown", (/** @type {any} */ event) => {
  const { target, key } = event;
  if (!play.game || find("#play").hidden || target.closest("input, textarea, select, dialog, [popover], [role=tab], #board")) return;
  if (target.closest("button, a, [tabindex='0']") && (key === " " || key === "Enter")) return;
  play.view.onKey(event);
});

document.addEventListener("keydown", (/** @type {any} */ event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const isRedo = key === "y" || (key === "z" && event.shiftKey);
  if (key !== "z" && !isRedo) return;
  event.preventDefault();
  if (!find("#play").hidden) play[isRedo ? "redo" : "undo"]();
  else if (isEditing()) loaded.edit.step(isRedo ? "redo" : "undo");
});

onKeyNeeded(() => new Promise((resolve) => {
  const dialog = find("#key");
  dialog.addEventListener("close", () => {
    resolve(dialog.returnValue === "use" ? find("#key-text").value.trim() : null);
    find("#key-text").value = "";
  }, { once: true });
  dialog.returnValue = "";
  dialog.showModal();
}));

// Keeps the page for later, without the server. Browsers allow that on secure origins only.
// The page may have loaded while the texts were on the way.
if ("serviceWorker" in navigator) {
  const register = () => navigator.serviceWorker.register("worker.js", { updateViaCache: "none" }).catch(() => {
    // The page works without it as long as the server does.
  });
  if (document.readyState === "complete") register();
  else window.addEventListener("load", register);
}
opening.start();

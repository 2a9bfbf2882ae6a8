// Sharing and exporting: links, printing and files.

import { IS_SITE, post, postForFile } from "./api.js";
import { find, save } from "./dom.js";
import { toFragment } from "./puzzle.js";
import { styleFor } from "./names.js";
import { numberText, t } from "./texts.js";

const PREVIEWED = 20_000; // characters
const TIME_LIMIT = 30; // seconds

export class Sharing {
  // `current()` returns the active part of the page, with its puzzle and perhaps a game.
  constructor(current) {
    this.current = current;
    find("#share-progress").addEventListener("change", () => this.link());
    find("#share-copy").addEventListener("click", () => copy(find("#share-link"), find("#share-note")));
    for (const id of ["to", "unique"]) find(`#export-${id}`).addEventListener("change", () => this.preview());
    find("#export-copy").addEventListener("click", () => copy(find("#export-text"), find("#export-note")));
    find("#export-save").addEventListener("click", async () => {
      await this.previewing;
      if (this.file) save(this.file);
    });
    find("#print form").addEventListener("submit", (event) => { event.preventDefault(); this.draw(); });
    find("#print-form").addEventListener("change", ({ target: { value } }) => {
      find("#print-answer").disabled = value.endsWith("steps");
      for (const name of ["count", "large"]) find(`#print-${name}`).disabled = value !== "pdf";
    });
    find("#print-browser").addEventListener("click", () => { find("#print").close(); window.print(); });
  }

  share() {
    const { game } = this.current();
    find("#share-progress").checked = false;
    find("#share-progress-label").hidden = !game;
    find("#share-note").textContent = "";
    this.link();
    find("#share").showModal();
    find("#share-link").select();
  }

  link() {
    const { puzzle, game } = this.current();
    const isWithGame = game && find("#share-progress").checked;
    const base = location.href.split("#")[0];
    find("#share-link").value = base + toFragment(puzzle, isWithGame ? game : null);
    const address = new URL(IS_SITE ? "embed.html" : "embed", base).href + toFragment(puzzle).replace("#", "?");
    find("#share-embed").value = `<iframe src="${address.replaceAll("&", "&amp;")}" width="400" height="500" title="Binairo"></iframe>`;
  }

  print() {
    if (IS_SITE) return window.print();
    find("#print-note").textContent = "";
    find("#print-title-text").value = find("#title").textContent;
    find("#print").showModal();
  }

  // More puzzles of the same kind, for a sheet with several.
  async others(puzzle, count) {
    if (!count) return [];
    const { height, width, rules } = puzzle;
    const body = { count, size: `${height}x${width}`, rules, grade: this.current().game?.attempt?.grade?.level.replace(" ", "-") ?? "any", time_limit: TIME_LIMIT };
    return (await post("generate", body)).results;
  }

  async draw() {
    const [to, areSteps] = find("#print-form").value.split("-");
    const isBook = to === "pdf" && !areSteps;
    const { puzzle } = this.current();
    const style = styleFor(puzzle);
    const [answer, large] = ["#print-answer", "#print-large"].map((name) => find(name).checked);
    const body = {
      to,
      ...style,
      // The font of PDF has no Japanese; the few words of a sheet can be English.
      ...(isBook && style.language === "ja" ? { language: "en" } : {}),
      not_unique: "mark",
      title: find("#print-title-text").value,
      ...(areSteps ? { steps: true } : { grade: find("#print-grade").checked }),
      ...(isBook ? { answers: answer ? "end" : "none", large, instructions: true } : {}),
      ...(!isBook && !areSteps && answer ? { solution: true } : {}),
    };
    await this.showErrors(find("#print-note"), async () => {
      const puzzles = [puzzle.record, ...await this.others(puzzle, isBook ? find("#print-count").value - 1 : 0)];
      save(await postForFile("render", puzzles.length > 1 ? { puzzles, per_page: large ? null : puzzles.length, ...body } : { puzzle: puzzle.record, ...body }));
    });
  }

  export() {
    find("#export").showModal();
    this.preview();
  }

  // The route and the body of the selected export.
  exportRequest() {
    const [word, to] = find("#export-to").value.split(":");
    const isUnique = word === "encode" && to !== "dzn" && find("#export-unique").checked;
    return [word, { puzzle: this.current().puzzle.record, to, ...(isUnique ? { unique: "auto" } : {}) }];
  }

  preview() {
    const text = find("#export-text");
    find("#export-unique-label").hidden = !find("#export-to").value.startsWith("encode");
    this.file = null;
    text.value = "";
    const exportRequest = this.exportRequest();
    this.previewing = this.showErrors(find("#export-note"), async () => {
      const file = await postForFile(...exportRequest);
      const whole = file.name.endsWith(".zip") ? "" : await file.blob.text();
      // Another format may have been chosen while this file was made and read.
      if (JSON.stringify(this.exportRequest()) !== JSON.stringify(exportRequest)) return;
      this.file = file;
      text.value = whole.slice(0, PREVIEWED);
      const rest = whole.length - PREVIEWED;
      if (rest > 0) find("#export-note").textContent = t("The file has {number} more characters.", { number: numberText(rest) });
    });
  }

  async showErrors(note, work) {
    note.textContent = "";
    try {
      await work();
    } catch (error) {
      if (error.status === undefined) throw error;
      note.textContent = error.fault?.kind === "font" ? `${error.message} ${OTHER_FONTS}` : error.message;
    }
  }
}

const OTHER_FONTS = t("SVG and HTML use the fonts of your device instead.");

async function copy(field, note) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    note.textContent = t("Copied.");
  } catch {
    note.textContent = t("Press Ctrl+C to copy the selected text.");
  }
}

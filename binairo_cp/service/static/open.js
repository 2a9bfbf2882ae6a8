// Where puzzles come from: pasted, dropped, made, the day's, the address of the page.

import { ask, read, readFile } from "./api.js";
import { find, make, plural } from "./dom.js";
import { Game } from "./game.js";
import { fromFragment, Puzzle } from "./puzzle.js";

const PATIENCE = 30; // seconds
const DAILY_SIZE = 10;
// From Sunday on: a calm week that grows harder.
const DAILY_GRADES = ["expert", "beginner", "easy", "easy", "medium", "medium", "hard"];

export class Opening {
  constructor(play) {
    this.play = play;
    find("#generate").addEventListener("submit", (event) => {
      event.preventDefault();
      play.message.run(find("#new-puzzle"), () => this.generate());
    });
    find("#daily").addEventListener("click", (event) => play.message.run(event.target, () => this.daily()));
    find("#open").addEventListener("click", () => find("#paste").showModal());
    find("#paste form").addEventListener("submit", (event) => { event.preventDefault(); this.paste(); });
    find("#paste-file").addEventListener("change", (event) => this.file(event.target.files[0]));
    find("#paste-close").addEventListener("click", () => find("#paste").close());
    find("#several").addEventListener("change", (event) => this.open(this.puzzles[event.target.value]));
    window.addEventListener("hashchange", () => this.fromAddress());
    this.takeDrops();
  }

  open(puzzle, saved) {
    const at = this.puzzles?.indexOf(puzzle) ?? -1;
    find("#several-label").hidden = at < 0;
    if (at >= 0) find("#several").value = at;
    this.play.open(puzzle, saved);
  }

  // The first of some; the others can be chosen.
  openAll(records) {
    const puzzles = records.map((record) => new Puzzle(record));
    if (!puzzles.length) throw Object.assign(new Error("No puzzle was found there."), { status: 0 });
    this.puzzles = puzzles.length > 1 ? puzzles : null;
    find("#several").replaceChildren(...puzzles.map((puzzle, n) =>
      make("option", { value: n }, `${n + 1} of ${puzzles.length}${puzzle.id ? `: ${puzzle.id}` : ""}`)));
    this.open(puzzles[0]);
    if (this.puzzles) this.play.message.say(`${plural(puzzles.length, "puzzle")} opened; the first is shown.`);
  }

  async generate() {
    const rows = find("#new-rows").value;
    const columns = find("#new-columns").value;
    const wanted = { size: `${rows}x${columns}`, rules: find("#new-rules").value, grade: find("#new-grade").value };
    await this.made(wanted, "No such puzzle was found in time; another size or grade may do.");
  }

  async made(wanted, otherwise, id) {
    const before = this.play.puzzle;
    const told = await ask("generate", { time_limit: PATIENCE, ...wanted });
    if (this.play.puzzle !== before) return; // somebody went on meanwhile
    const [record] = told.results;
    if (!record) throw Object.assign(new Error(told.note ? `${otherwise} (${told.note})` : otherwise), { status: 0 });
    this.puzzles = null;
    this.open(new Puzzle({ ...record, id }));
    this.play.view.focusOn(0, false);
  }

  // The same for all who ask on that day, wherever they are: by its date in UTC.
  async daily() {
    const now = new Date();
    const date = now.toISOString().slice(0, 10);
    const grade = DAILY_GRADES[now.getUTCDay()];
    await this.made({ size: DAILY_SIZE, grade, seed: date }, "The puzzle of the day was not ready in time.", `Puzzle of ${date}`);
  }

  // The address first, then what was played last, or the puzzle of the day.
  async start() {
    const { isOpen, problem } = await this.fromAddress();
    if (isOpen) return;
    const latest = Game.latest();
    if (latest) this.open(new Puzzle(latest));
    else await this.play.message.run(find("#daily"), () => this.daily());
    if (problem) this.play.message.say(problem, { kind: "bad" });
  }

  async fromAddress() {
    const found = fromFragment(location.hash);
    if (!found) return {};
    // The address then no longer says what is played, so that a reload goes on with the game.
    history.replaceState(null, "", location.pathname + location.search);
    try {
      // Read by the service even if it looks whole: it tells what is wrong with it.
      const [record] = await read(found.text ?? JSON.stringify(found.record), found.rules);
      this.puzzles = null;
      const game = found.board ? { cells: found.board, seconds: found.seconds } : undefined;
      this.open(new Puzzle(record), game);
      return { isOpen: true };
    } catch (error) {
      if (error.status === undefined) throw error;
      const problem = `The link holds no puzzle: ${error.message}`;
      this.play.message.say(problem, { kind: "bad" });
      return { problem };
    }
  }

  paste() {
    return this.reading(() => read(find("#paste-text").value, find("#paste-rules").value));
  }

  file(file) {
    return file && this.reading(() => readFile(file, find("#paste-rules").value));
  }

  async reading(records) {
    const note = find("#paste-note");
    note.textContent = "";
    try {
      this.openAll(await records());
      find("#paste").close();
    } catch (error) {
      if (error.status === undefined) throw error;
      note.textContent = error.message;
      if (!find("#paste").open) find("#paste").showModal();
    } finally {
      find("#paste-file").value = "";
    }
  }

  // A file or a text dropped on the page, or pasted outside of a field.
  takeDrops() {
    const isHere = () => !find("#play").hidden;
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!isHere()) return;
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData("text/plain");
      if (file) this.file(file);
      else if (text) this.reading(() => read(text));
    });
    document.addEventListener("paste", (event) => {
      const isField = event.target.closest?.("input, textarea");
      if (isField || !isHere() || document.querySelector("dialog[open]")) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData("text/plain");
      if (file) this.file(file);
      else if (text.trim()) this.reading(() => read(text));
    });
  }
}


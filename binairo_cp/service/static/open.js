// Open puzzles: pasted, dropped, generated, from a link, or the puzzle of the day.

import { isTemporary, post, read, readFile, sleep } from "./api.js";
import { find, make, plural } from "./dom.js";
import { Game } from "./game.js";
import { fromFragment, linkIn, Puzzle } from "./puzzle.js";

const TIME_LIMIT = 30; // seconds
const RETRY = 5; // seconds
const DAILY_SIZE = 10;
// By day of the week, from Sunday.
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
    window.addEventListener("hashchange", () => play.message.run(null, () => this.fromAddress()));
    this.takeDrops();
  }

  open(puzzle, sent) {
    const at = this.puzzles?.indexOf(puzzle) ?? -1;
    find("#several-label").hidden = at < 0;
    if (at >= 0) find("#several").value = at;
    this.play.open(puzzle, sent);
  }

  // Opens the first of several puzzles and offers the others in a menu.
  openAll(records, rules) {
    const puzzles = records.map((record) => Puzzle.withRulesName(record, rules));
    if (!puzzles.length) throw Object.assign(new Error(NO_PUZZLE), { status: 0 });
    this.puzzles = puzzles.length > 1 ? puzzles : null;
    find("#several").replaceChildren(...puzzles.map((puzzle, n) =>
      make("option", { value: n }, `${n + 1} of ${puzzles.length}${puzzle.id ? `: ${puzzle.id}` : ""}`)));
    this.open(puzzles[0]);
    if (this.puzzles) this.play.message.say(`${plural(puzzles.length, "puzzle")} opened; the first is shown.`);
  }

  async generate() {
    const rows = find("#new-rows").value;
    const columns = find("#new-columns").value;
    const options = { size: `${rows}x${columns}`, rules: find("#new-rules").value, grade: find("#new-grade").value };
    await this.requestPuzzle(options, "No such puzzle was found in time. Try another size or grade.");
  }

  async requestPuzzle(options, failure, id) {
    const before = this.play.puzzle;
    const response = await post("generate", { time_limit: TIME_LIMIT, ...options });
    if (this.play.puzzle !== before) return; // the user has opened another puzzle
    const [record] = response.results;
    if (!record) throw Object.assign(new Error(response.note ? `${failure} (${response.note})` : failure), { status: 0 });
    this.puzzles = null;
    this.open(Puzzle.withRulesName({ ...record, id }, options.rules));
    this.play.view.focusOn(0, false);
  }

  // The seed is the date in UTC, so the puzzle is the same for everyone.
  async daily() {
    const now = new Date();
    const date = now.toISOString().slice(0, 10);
    const grade = DAILY_GRADES[now.getUTCDay()];
    await this.requestPuzzle({ size: DAILY_SIZE, grade, seed: date }, "The puzzle of the day was not ready in time.", `Puzzle of ${date}`);
  }

  // Opens the first puzzle. Retries after temporary errors, until there is a puzzle.
  async start() {
    const { message } = this.play;
    while (!this.play.puzzle) {
      try {
        await this.first();
        return;
      } catch (error) {
        if (error.status === undefined) throw error;
        if (this.play.puzzle) return;
        message.say(isTemporary(error) ? `${error.message} Trying again…` : error.message, { kind: "bad" });
        if (!isTemporary(error)) return;
      }
      await sleep(RETRY);
    }
  }

  // The puzzle in the URL, the last puzzle played, or the puzzle of the day.
  async first() {
    const { message } = this.play;
    let problem = "";
    try {
      if (await this.fromAddress()) return;
    } catch (error) {
      if (error.status === undefined || isTemporary(error)) throw error;
      problem = error.message;
    }
    const latest = Game.latest();
    if (latest) {
      this.open(latest);
    } else {
      message.say("Opening the puzzle of the day…");
      await this.daily();
    }
    if (problem) message.say(problem, { kind: "bad" });
  }

  // Opens the puzzle in the URL; returns false if there is none.
  async fromAddress() {
    const { hash } = location;
    const link = fromFragment(hash);
    if (!link) return false;
    // Removes the fragment from the URL, so that a reload continues the game. The fragment stays if the
    // server can't read the puzzle yet.
    const forget = () => {
      if (location.hash === hash) history.replaceState(null, "", location.pathname + location.search);
    };
    try {
      await this.openLink(link);
    } catch (error) {
      if (error.status === undefined || isTemporary(error)) throw error;
      forget();
      throw Object.assign(new Error(`The link contains no valid puzzle: ${error.message}`), { status: error.status });
    }
    forget();
    return true;
  }

  // Even a complete record goes through the server, which validates it.
  async openLink({ text, record, rules, board, seconds }) {
    const [found] = await read(text ?? JSON.stringify(record), rules);
    if (!found) throw Object.assign(new Error(NO_PUZZLE), { status: 0 });
    this.puzzles = null;
    this.open(Puzzle.withRulesName(found, rules ?? record?.rules), board ? { board, seconds } : undefined);
  }

  paste() {
    return this.text(find("#paste-text").value, find("#paste-rules").value);
  }

  // A puzzle in any format, or a link to one.
  text(text, rules) {
    const link = linkIn(text);
    return this.reading(async () => {
      if (link) await this.openLink(fromFragment(link));
      else if (ADDRESS.test(text.trim())) throw Object.assign(new Error(SITE.test(text) ? NO_TASK : NO_LINK), { status: 0 });
      else this.openAll(await read(TASK.exec(text)?.[1] ?? text, rules), rules);
    });
  }

  file(file) {
    const rules = find("#paste-rules").value;
    return file && this.reading(async () => this.openAll(await readFile(file, rules), rules));
  }

  async reading(work) {
    const note = find("#paste-note");
    note.textContent = "";
    try {
      await work();
      find("#paste").close();
    } catch (error) {
      if (error.status === undefined) throw error;
      note.textContent = error.message;
      if (!find("#paste").open) find("#paste").showModal();
    } finally {
      find("#paste-file").value = "";
    }
  }

  // Handles files and text that are dropped on the page or pasted outside of a field.
  takeDrops() {
    const isHere = () => !find("#play").hidden;
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!isHere()) return;
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData("text/plain");
      if (file) this.file(file);
      else if (text) this.text(text);
    });
    document.addEventListener("paste", (event) => {
      const isField = event.target.closest?.("input, textarea");
      if (isField || !isHere() || document.querySelector("dialog[open]")) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData("text/plain");
      if (file) this.file(file);
      else if (text.trim()) this.text(text);
    });
  }
}

const NO_PUZZLE = "This contains no puzzle.";
const SITE = /^\s*https?:\/\/(www\.)?puzzle-binairo\.com/i;
const NO_TASK = "Links of puzzle-binairo.com contain only the number of a puzzle. Paste the source of that page, or the code after “var task”.";
// In the source of a page of puzzle-binairo.com.
const TASK = /\btask\s*=\s*['"]([0-9a-z]+)['"]/;
const ADDRESS = /^https?:\/\/\S+$/i;
const NO_LINK = "This looks like a URL. Paste the puzzle itself, or a link created with “Share link”.";

// A puzzle from a picture: shows what the server read over the picture, and lets the user correct it.

import { verdictSentence } from "./analysis.js";
import { isTemporary, post, send } from "./api.js";
import { cycled, digitOf } from "./board.js";
import { button, find, make } from "./dom.js";
import { Message } from "./message.js";
import { placeText } from "./names.js";
import { OPEN, Puzzle } from "./puzzle.js";
import { n, t } from "./texts.js";

const TYPES = ["image/png", "image/jpeg", "image/webp"]; // as the server reads them
const MAX_BYTES = 8 << 20;
const MAX_SIDE = 2000; // pixels of a picture that is sent in another form
const WIDTH = 1000; // pixels of the part that is shown
const MARGIN = 0.4; // around the board, in cells
const PARTS = 24; // of each side, drawn one by one
const TIME_LIMIT = "30"; // seconds
const PAUSE = 300; // milliseconds before corrections are checked
const NEXT_SIGN = { "": "=", "=": "x", x: "", "?": "=" };
const SIGN_NAMES = { "": t("no sign"), "=": t("equal"), x: t("opposite"), "?": t("not sure") };

// Sends a picture to the server and shows what it read; `done(puzzle, board)` opens the puzzle.
export async function openPicture(file, rules, done) {
  const bitmap = await createImageBitmap(file).catch(() => { throw problem(UNREADABLE); });
  const isSent = TYPES.includes(file.type) && file.size <= MAX_BYTES;
  const body = isSent ? file : await redrawn(bitmap);
  const query = new URLSearchParams({ reasons: "quick", time_limit: TIME_LIMIT, ...(rules ? { rules } : {}) });
  const request = { method: "POST", headers: { "Content-Type": body.type }, body };
  const answer = await send(`v1/check?${query}`, request).catch((error) => {
    if (isTemporary(error)) error.message = `${t("Pictures are read by the server.")} ${error.message}`;
    throw error;
  });
  const { results } = await answer.json();
  await styled();
  const boards = results.filter((result) => result.picture);
  if (!boards.length) throw problem(results[0].error.message);
  new PictureDialog(bitmap, boards, rules, done).show(0);
}

// The style sheet is loaded with the first picture.
function styled() {
  if (find("#picture-style")) return null;
  return new Promise((loaded) => {
    const href = new URL("picture.css", import.meta.url);
    document.head.append(make("link", { id: "picture-style", rel: "stylesheet", href, load: loaded, error: loaded }));
  });
}

const problem = (text) => Object.assign(new Error(text), { status: 0 });
const UNREADABLE = t("This picture can’t be opened. Save it as PNG or JPEG.");

// Large pictures, and those of other types that this browser knows, are sent as PNG.
function redrawn(bitmap) {
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const size = { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) };
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, size.width, size.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

// Maps x and y from 0 to 1 to the quadrilateral with these corners, clockwise from the left top one, as
// in P. Heckbert, "Fundamentals of texture mapping and image warping", 1989.
function projection([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const all = dx1 * dy2 - dx2 * dy1;
  const [g, h] = [(sx * dy2 - dx2 * sy) / all, (dx1 * sy - sx * dy1) / all];
  return (x, y) => [
    ((x1 - x0 + g * x1) * x + (x3 - x0 + h * x3) * y + x0) / (g * x + h * y + 1),
    ((y1 - y0 + g * y1) * x + (y3 - y0 + h * y3) * y + y0) / (g * x + h * y + 1),
  ];
}

// The set of symbols that looks like that of the picture.
function lookOf({ one, symbols }) {
  if (SUN_AND_MOON.test(one)) return "sunmoon";
  return symbols[0]?.shape === "hollow" && symbols[1]?.shape === "solid" ? "circles" : undefined;
}
const SUN_AND_MOON = /crescent|symbol that is less yellow/;

class PictureDialog {
  bitmap; boards; rules; done; picture; width; height; cells; result;

  constructor(bitmap, boards, rules, done) {
    Object.assign(this, { bitmap, boards, rules, done });
    const facts = make("div", { role: "status" });
    this.message = new Message(facts);
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.layer = make("div", { role: "group", "aria-label": t("What was read"), keydown: (event) => this.key(event) });
    this.entries = make("input", { type: "checkbox", checked: true, id: "picture-entries" });
    this.entriesLabel = make("label", { class: "check" }, this.entries, make("span"));
    const choice = make("select", { change: ({ target }) => this.show(target.value) }, ...boards.map((_, at) =>
      make("option", { value: at }, t("{number} of {all}", { number: at + 1, all: boards.length }))));
    this.dialog = make("dialog", { id: "picture", "aria-labelledby": "picture-title", close: () => this.dialog.remove() },
      make("div", { class: "stack" },
        make("h2", { id: "picture-title" }, t("Puzzle from a picture")),
        boards.length > 1 && make("label", {}, t("Board"), choice),
        facts,
        make("div", { class: "read" }, this.canvas, this.layer),
        make("p", { class: "soft" }, HELP),
        this.entriesLabel,
        make("div", { class: "buttons" },
          button(t("Cancel"), () => this.dialog.close()),
          button(t("Swap 0 and 1"), () => this.swap()),
          button(t("Open"), () => this.open(), { class: "main" }))));
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  // Shows a board of the picture as it was read.
  show(number) {
    const { picture } = this.boards[number];
    const { height, width } = picture;
    Object.assign(this, { picture, height, width, cells: [...picture.board], result: this.boards[number] });
    this.unsure = new Set(picture.unsure.map(([row, column]) => row * width + column));
    this.isEntry = new Set(picture.entries.map(([row, column]) => row * width + column));
    this.signs = new Map(picture.signs.map(([row, column, direction, sign]) => [`${row} ${column} ${direction}`, sign]));
    for (const edge of picture.unsure_signs) this.signs.set(edge.join(" "), "?");
    this.drawPicture();
    const places = [...Array(height * width).keys()];
    this.buttons = places.map((index) => this.place(button("", () => this.set(index)), index % width, Math.floor(index / width), 1));
    this.edges = new Map(/** @type {any} */ (places.flatMap((index) => this.edgesOf(index))));
    this.layer.replaceChildren(...this.buttons, ...this.edges.values());
    this.entriesLabel.hidden = !this.isEntry.size;
    find("span", this.entriesLabel).textContent = 
      n(this.isEntry.size, "Keep {number} entry of the player apart from the clues", "Keep {number} entries of the player apart from the clues");
    this.update();
    (this.buttons[[...this.unsure][0] ?? 0]).focus();
  }

  // Draws the board as seen from above: many small parts, each without perspective.
  drawPicture() {
    const [left, top, right, bottom] = this.picture.box;
    const corners = this.picture.corners ?? [[left, top], [right, top], [right, bottom], [left, bottom]];
    const point = projection(corners.map(([x, y]) => [x * this.bitmap.width, y * this.bitmap.height]));
    const [across, down] = [this.width + 2 * MARGIN, this.height + 2 * MARGIN];
    Object.assign(this.canvas, { width: WIDTH, height: Math.round((WIDTH * down) / across) });
    const context = this.canvas.getContext("2d");
    const [wide, high] = [WIDTH / PARTS, this.canvas.height / PARTS];
    const at = (x, y) => point(
      (x / PARTS * across - MARGIN) / this.width, (y / PARTS * down - MARGIN) / this.height);
    for (let y = 0; y < PARTS; y += 1) {
      for (let x = 0; x < PARTS; x += 1) {
        const [begin, aside, below] = [at(x, y), at(x + 1, y), at(x, y + 1)];
        const along = (one, step) => [(one[0] - begin[0]) / step, (one[1] - begin[1]) / step];
        const matrix = new DOMMatrix([...along(aside, wide), ...along(below, high), ...begin]).inverse();
        context.save();
        context.beginPath();
        context.rect(x * wide, y * high, wide + 1, high + 1);
        context.clip();
        context.translate(x * wide, y * high);
        context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
        context.drawImage(this.bitmap, 0, 0);
        context.restore();
      }
    }
  }

  // Puts a button over the picture, in cells from the left top corner of the board.
  place(element, x, y, side) {
    const [across, down] = [this.width + 2 * MARGIN, this.height + 2 * MARGIN];
    Object.assign(element.style, {
      left: `${(100 * (x + MARGIN)) / across}%`,
      top: `${(100 * (y + MARGIN)) / down}%`,
      width: `${(100 * side) / across}%`,
      height: `${(100 * side) / down}%`,
    });
    return element;
  }

  edgesOf(index) {
    const [row, column] = [Math.floor(index / this.width), index % this.width];
    const inside = [["R", column + 1 < this.width], ["D", row + 1 < this.height]].filter(([, is]) => is);
    return inside.map(([direction]) => {
      const key = `${row} ${column} ${direction}`;
      const [x, y] = direction === "R" ? [column + 0.84, row + 0.34] : [column + 0.34, row + 0.84];
      return [key, this.place(button("", () => this.setSign(key), { class: "edge" }), x, y, 0.32)];
    });
  }

  update() {
    this.buttons.forEach((each, index) => {
      const value = this.cells[index];
      const isUnsure = this.unsure.has(index);
      const shown = isUnsure && value === OPEN ? "?" : value;
      each.textContent = shown === OPEN ? "" : shown;
      each.className = isUnsure ? "unsure" : "";
      const where = placeText([Math.floor(index / this.width), index % this.width]);
      const what = [value === OPEN ? t("empty") : value, this.isEntry.has(index) && t("entry"), isUnsure && t("not sure")];
      each.ariaLabel = `${where}: ${what.filter(Boolean).join(", ")}`;
    });
    for (const [key, each] of this.edges) {
      const sign = this.signs.get(key) ?? "";
      each.textContent = sign === "x" ? "×" : sign;
      each.classList.toggle("unsure", sign === "?");
      each.classList.toggle("none", !sign);
      each.tabIndex = sign ? 0 : -1;
      const [row, column, direction] = key.split(" ");
      each.ariaLabel = `${placeText([+row, +column])}, ${direction === "R" ? t("right") : t("below")}: ${SIGN_NAMES[sign]}`;
    }
    this.sayFacts();
  }

  sayFacts() {
    const doubts = this.unsure.size + [...this.signs.values()].filter((sign) => sign === "?").length;
    const parts = [`${this.height} × ${this.width}`, this.picture.one && t("1 is {symbol}", { symbol: this.picture.one }), this.picture.note];
    const doubt = doubts ? n(doubts, "{number} place is not sure: correct what is wrong.", "{number} places are not sure: correct what is wrong.") : this.verdict();
    const isBad = doubts || this.result?.verdict === "none";
    this.message.say(`${parts.filter(Boolean).join(" · ")}. ${doubt}`, { kind: isBad ? "bad" : "" });
  }

  // The verdict of the puzzle as it is shown, which tells whether something may be wrong.
  verdict() {
    const { verdict } = this.result ?? {};
    if (!verdict || verdict === "invalid") return "";
    return verdict === "multiple" ? SEVERAL : verdictSentence(this.found()[0], this.result);
  }

  set(index, value = cycled(this.cells[index])) {
    this.cells[index] = value;
    this.unsure.delete(index);
    this.changed();
  }

  setSign(key, sign = NEXT_SIGN[this.signs.get(key) ?? ""]) {
    if (!this.edges.has(key)) return;
    if (sign) this.signs.set(key, sign);
    else this.signs.delete(key);
    this.changed();
  }

  swap() {
    const other = { 0: "1", 1: "0", [OPEN]: OPEN };
    this.cells = this.cells.map((value) => other[value]);
    this.picture = { ...this.picture, one: "" };
    this.changed();
  }

  // A corrected board is checked, which shows what else may be wrong. It is never changed.
  changed() {
    this.result = null;
    this.update();
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const [puzzle] = this.found();
      const before = JSON.stringify(puzzle.record);
      const result = await post("check", { puzzle: puzzle.record }).catch(() => null);
      if (!this.dialog.isConnected || JSON.stringify(this.found()[0].record) !== before) return;
      this.result = result;
      this.sayFacts();
    }, PAUSE);
  }

  key(event) {
    const index = this.buttons.indexOf(event.target);
    const { key } = event;
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, column] = [Math.floor(index / this.width), index % this.width];
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
    if (step) {
      const [down, across] = [row + step[0], column + step[1]];
      if (across >= 0 && across < this.width) this.buttons[down * this.width + across]?.focus();
    } else if (digitOf(event)) this.set(index, digitOf(event).digit);
    else if (key === "Backspace" || key === "Delete") this.set(index, OPEN);
    else if ("=xEX".includes(key)) {
      const isBelow = key === "E" || key === "X";
      const sign = key.toLowerCase() === "x" ? "x" : "=";
      const edge = `${row} ${column} ${isBelow ? "D" : "R"}`;
      this.setSign(edge, this.signs.get(edge) === sign ? "" : sign);
    } else return;
    event.preventDefault();
  }

  // The puzzle, and the board with the entries.
  found() {
    const isEntry = (index) => this.entries.checked && this.isEntry.has(index);
    const clues = this.cells.map((value, index) => (isEntry(index) ? OPEN : value)).join("");
    const signs = [...this.signs].filter(([, sign]) => sign !== "?").map(([key, sign]) => {
      const [row, column, direction] = key.split(" ");
      return [Number(row), Number(column), direction, sign];
    });
    const look = lookOf(this.picture);
    const rules = this.rules || (look === "sunmoon" && signs.length ? "tango" : undefined);
    const puzzle = new Puzzle({ height: this.height, width: this.width, clues, signs, rules, look });
    return [puzzle, this.cells.join("")];
  }

  open() {
    const [puzzle, board] = this.found();
    this.dialog.close();
    this.done(puzzle, board);
  }
}

const HELP = t("Click a cell to change it: empty, 0, 1. Click between two cells for a sign: none, =, ×. What is red is not sure; Open takes it as it is shown.");
const SEVERAL = t("There are several solutions: a clue may be missing.");

// A board on the page: a grid of cells with symbols and signs, for keyboard, mouse and touch.

import { draw, find, make } from "./dom.js";
import { columnName, legendOf, nameOf, picture, placeText, setOf } from "./names.js";
import { OPEN } from "./puzzle.js";
import { listText, t } from "./texts.js";
import { placeOf, Zoom } from "./zoom.js";

const NEXT = { ".": "0", 0: "1", 1: "." };
const BEFORE = { ".": "1", 1: "0", 0: "." };
const MARKED = { ".": "", 0: "0", 1: "1", 2: "01" };
// Highlights of a cell: name of the CSS class, and words for screen readers.
const HIGHLIGHTS = {
  target: t("follows"),
  reason: t("reason"),
  span: t("part of the reason"),
  tried: t("tried"),
  supposed: t("supposed"),
  wrong: t("wrong"),
  differs: t("differs"),
  spare: t("redundant"),
  broken: t("breaks a rule"),
  whatif: t("what if"),
};

// The signs of a cell, by what they say and where the other cell is.
const SIGNS = {
  "=": { R: t("equal to the right one"), D: t("equal to the lower one") },
  x: { R: t("opposite of the right one"), D: t("opposite of the lower one") },
};

const LONG_PRESS = 350; // milliseconds

export const cycled = (value, isBack) => (isBack ? BEFORE : NEXT)[value];

export class BoardView {
  host; label; press; key; legend; isOpen; width; height;

  // `press(index, options)` is called when a cell is clicked. It may return `{ at, paint }` to handle a
  // drag from that cell. `key(event, index)` is called for keys and returns whether it handled them.
  // If `isOpen`, clues can be changed too. `legend` is an element that explains the symbols.
  constructor(host, { label, press = null, key = null, legend = null, isOpen = false }) {
    Object.assign(this, { host, label, press, key, legend, isOpen });
    this.focus = 0;
    this.cells = [];
    this.shape = "";
    host.classList.add("board");
    host.view = this;
    this.stroke = null; // the drag that fills cells
    this.rest = null; // the timer of a finger or a pen that rests on a cell
    if (press) this.listen();
  }

  show(shown) {
    const { puzzle, cells = puzzle.clues, marks, highlights = {}, numbers: steps, counts } = shown;
    this.shown = shown;
    this.symbols = setOf(puzzle);
    this.showLegend();
    const shape = JSON.stringify([puzzle.height, puzzle.width, puzzle.signs]);
    if (shape !== this.shape) this.build(puzzle);
    this.shape = shape;
    const names = this.highlightsByCell(puzzle, highlights);
    this.cells.forEach((cell, index) => {
      const clue = puzzle.clues[index] !== OPEN;
      const number = steps?.get(index);
      const seen = [this.symbols, cells[index], marks?.[index] ?? OPEN, clue, number, names.get(index) ?? ""].join();
      if (cell.seen !== seen) this.paint(cell, cells[index], marks?.[index] ?? OPEN, clue, names.get(index), number);
      cell.seen = seen;
    });
    this.showCounts(counts);
  }

  // The counts of 0 and 1 beside each line, if any; `L` reads them to screen readers.
  showCounts(counts) {
    this.host.classList.toggle("counted", Boolean(counts));
    for (const [place, lines] of [["right", counts?.rows], ["below", counts?.columns]]) {
      const host = find(`.counts.${place}`, this.host);
      host.replaceChildren(...(lines ?? []).map(([zeros, ones, open]) =>
        make("span", { class: open ? null : "full" }, make("b", {}, zeros), make("b", {}, ones))));
    }
  }

  // The symbols and the names of columns may have changed.
  redraw() {
    if (!this.shown) return;
    this.show(this.shown);
    find(".numbers.across", this.host).replaceWith(numbers("across", this.width));
  }

  showLegend() {
    if (!this.legend) return;
    this.legend.textContent = legendOf(this.symbols);
    this.legend.hidden = !this.legend.textContent;
  }

  highlightsByCell(puzzle, highlights) {
    const names = new Map();
    for (const [name, places] of Object.entries(highlights)) {
      for (const place of places) {
        const index = Array.isArray(place) ? puzzle.index(place) : place;
        names.set(index, [...(names.get(index) ?? []), name]);
      }
    }
    return names;
  }

  build(puzzle) {
    const { height, width } = puzzle;
    Object.assign(this, { height, width });
    this.focus = Math.min(this.focus, height * width - 1);
    const grid = make("div", {
      class: "grid",
      role: "grid",
      "aria-label": this.label,
      "aria-rowcount": height,
      "aria-colcount": width,
      "aria-readonly": !this.press && "true",
    });
    placeOf(this.host).style.setProperty("--width", width);
    placeOf(this.host).style.setProperty("--height", height);
    this.cells = Array.from({ length: height * width }, (_, index) => this.cell(index));
    for (let row = 0; row < height; row += 1) {
      const own = this.cells.slice(row * width, (row + 1) * width);
      grid.append(make("div", { class: "row", role: "row" }, ...own));
    }
    for (const cell of this.cells) cell.signs = [];
    for (const [row, column, direction, sign] of puzzle.signs) {
      const cell = this.cells[row * width + column];
      cell.append(signMark(direction, sign));
      cell.signs.push(SIGNS[sign][direction]);
    }
    const hadFocus = this.host.contains(document.activeElement);
    this.host.replaceChildren(make("div", { class: "frame" }, numbers("across", width), numbers("down", height), grid,
      ...["right", "below"].map((place) => make("div", { class: `counts ${place}`, "aria-hidden": "true" }))));
    if (hadFocus) this.focusOn(this.focus);
  }

  stopStroke() {
    clearTimeout(this.rest);
    this.stroke = null;
  }

  cell(index) {
    const tabindex = this.press && index === this.focus ? 0 : -1;
    const cell = make("div", { class: "cell", role: "gridcell", ...(this.press ? { tabindex } : {}) });
    const { height, width } = this;
    cell.style.setProperty("--at", (Math.floor(index / width) + (index % width)) / (height + width)); // for the celebration
    cell.index = index;
    return cell;
  }

  paint(cell, value, mark, isClue, names = [], number = null) {
    const { symbols } = this;
    const named = (each) => nameOf(each, symbols);
    const drawn = (each) => picture(each, symbols);
    const marked = value === OPEN ? MARKED[mark] : "";
    cell.className = ["cell", isClue && "clue", ...names.map((name) => `is-${name}`)].filter(Boolean).join(" ");
    cell.dataset.value = value;
    const [row, column] = [Math.floor(cell.index / this.width), cell.index % this.width];
    const symbol = value === OPEN ? t("empty") : named(value);
    const what = value !== OPEN && isClue ? t("clue {symbol}", { symbol }) : symbol;
    const pencil = marked && t("pencil {marks}", { marks: listText([...marked].map(named)) });
    const more = [number && t("step {number}", { number }), pencil, ...names.map((name) => HIGHLIGHTS[name]), ...cell.signs];
    cell.setAttribute("aria-label", [`${placeText([row, column])}: ${what}`, ...more.filter(Boolean)].join(", "));
    if (this.press) cell.setAttribute("aria-readonly", String(isClue && !this.isOpen));
    cell.ink?.remove();
    cell.ink = null;
    if (value !== OPEN) cell.ink = drawn(value);
    else if (marked) cell.ink = make("span", { class: "marks" }, ...[...marked].map(drawn));
    if (cell.ink) cell.prepend(cell.ink);
    cell.number?.remove();
    cell.number = number && make("span", { class: "number", "aria-hidden": "true" }, String(number));
    if (cell.number) cell.append(cell.number);
  }

  focusOn(index, takesFocus = true) {
    this.cells[this.focus]?.setAttribute("tabindex", -1);
    this.focus = index;
    this.cells[index].setAttribute("tabindex", 0);
    if (takesFocus) this.cells[index].focus();
  }

  // Scrolls as little as it takes to show cells, beside a message that covers a part of the page. Zooms out if they are
  // too far apart.
  reveal(places) {
    const cells = places.map(([row, column]) => this.cells[row * this.width + column]);
    const isSeen = (cell) => {
      const { left, right, top, bottom, width } = cell.getBoundingClientRect();
      const at = (x, y) => this.cellAt({ clientX: x, clientY: y }) === cell.index;
      return at(left + width / 9, top + width / 9) && at(right - width / 9, bottom - width / 9);
    };
    for (;;) {
      for (const cell of cells.toReversed()) cell.scrollIntoView({ block: "nearest" });
      if (this.zoom.factor === 1 || cells.every(isSeen)) return;
      this.zoom.step(-1);
    }
  }

  listen() {
    const at = (event) => event.target.closest?.(".cell");
    let isPressed = false;
    this.zoom = new Zoom(this.host, () => this.stopStroke());
    const begin = (cell, event) => {
      this.focusOn(cell.index);
      isPressed = true;
      this.stroke = this.press(cell.index, { isBack: event.button === 2, shift: event.shiftKey, event });
    };
    // A mouse acts on press, to support dragging. A finger acts on release, or after a rest, because
    // it may scroll; then the browser cancels the pointer.
    this.host.addEventListener("pointerdown", (event) => {
      const cell = at(event);
      isPressed = false;
      if (!cell || event.button === 1 || !event.isPrimary) return;
      if (event.pointerType !== "mouse") {
        this.rest = setTimeout(begin, LONG_PRESS, cell, event);
        return;
      }
      event.preventDefault();
      begin(cell, event);
    });
    this.host.addEventListener("pointermove", (event) => {
      if (this.stroke && event.buttons) this.paintAlong(event);
    });
    // What fills cells does not scroll.
    this.host.addEventListener("touchmove", (event) => { if (this.stroke && event.cancelable) event.preventDefault(); }, { passive: false });
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, () => this.stopStroke());
    }
    this.host.addEventListener("click", (event) => {
      const cell = at(event);
      if (cell && !isPressed) {
        this.focusOn(cell.index);
        this.press(cell.index, { isBack: false, shift: event.shiftKey, event });
      }
      isPressed = false;
    });
    this.host.addEventListener("contextmenu", (event) => { if (at(event)) event.preventDefault(); });
    this.host.addEventListener("focusin", (event) => { if (at(event)) this.focusOn(at(event).index, false); });
    this.host.addEventListener("keydown", (event) => at(event) && this.onKey(event, at(event)));
  }

  // A fast drag can skip cells between two events.
  paintAlong(event) {
    for (const point of [...(event.getCoalescedEvents?.() ?? []), event]) {
      const index = this.cellAt(point);
      if (index === undefined || index === this.stroke.at) continue;
      this.stroke.at = index;
      this.stroke.paint(index);
    }
  }

  // The index of the cell of this board below a pointer, if any.
  cellAt({ clientX, clientY }) {
    /** @type {any} */
    const cell = document.elementFromPoint(clientX, clientY)?.closest(".cell");
    return cell && this.host.contains(cell) ? cell.index : undefined;
  }

  onKey(event, cell = this.cells[this.focus]) {
    if (!cell || event.altKey || event.metaKey) return;
    const next = this.moved(event, cell.index);
    if (next !== null) this.focusOn(next);
    else if (event.ctrlKey) return;
    else if (event.key === "+" || event.key === "-") this.zoom.step(event.key === "+" ? 1 : -1);
    else if (!this.key(event, cell.index)) return;
    event.preventDefault();
  }

  moved({ key, ctrlKey }, index) {
    const { width, height } = this;
    const column = index % width;
    const first = index - column;
    const moves = {
      ArrowLeft: column > 0 ? index - 1 : index,
      ArrowRight: column < width - 1 ? index + 1 : index,
      ArrowUp: first > 0 ? index - width : index,
      ArrowDown: first < (height - 1) * width ? index + width : index,
      Home: ctrlKey ? 0 : first,
      End: ctrlKey ? height * width - 1 : first + width - 1,
    };
    return moves[key] ?? null;
  }
}

// Row and column numbers, since sentences refer to cells as r3c5. The labels of the cells contain them
// for screen readers.
function numbers(direction, count) {
  const each = Array.from({ length: count }, (_, n) => make("span", {}, direction === "across" ? columnName(n + 1) : String(n + 1)));
  return make("div", { class: `numbers ${direction}`, "aria-hidden": "true" }, ...each);
}

// The digit of a key on any keyboard layout, and whether Shift is pressed.
export function digitOf({ key, code, shiftKey }) {
  if (key === "0" || key === "1") return { digit: key, isShifted: shiftKey && /^Digit/.test(code) };
  const [, digit] = /^(?:Digit|Numpad)([01])$/.exec(code) ?? [];
  return digit ? { digit, isShifted: shiftKey } : null;
}

function signMark(direction, sign) {
  const name = sign === "=" ? "sign-equal" : "sign-opposite";
  const drawn = draw("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, draw("use", { href: `#${name}` }));
  return make("span", { class: `sign ${direction === "R" ? "right" : "below"}` }, drawn);
}

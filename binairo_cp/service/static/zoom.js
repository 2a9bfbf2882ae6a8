// The zoom of a board: two fingers, Ctrl and the wheel, the keys + and -, and the buttons above it.

import { find, findAll } from "./dom.js";

const [FIT, MOST, STEP] = [1, 6, 1.25];
const MAX_WHEEL = 25; // a notch of a wheel counts as much as a step
const PER_PIXEL = Math.log(STEP) / MAX_WHEEL;

// What is laid out by the size of a board: it, and perhaps the tools beside it.
export const placeOf = (host) => host.closest(".stage") ?? host;

export class Zoom {
  host; onPinch; factor; pinch;

  // `onPinch` is called when a second finger touches the board.
  constructor(host, onPinch) {
    Object.assign(this, { host, onPinch, factor: FIT, pinch: null });
    host.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    for (const name of ["touchstart", "touchmove"]) {
      host.addEventListener(name, (event) => this.onTouch(event), { passive: false });
    }
    for (const name of ["touchend", "touchcancel"]) {
      host.addEventListener(name, ({ touches }) => { if (touches.length < 2) this.pinch = null; });
    }
    this.buttons = findAll(`[data-board=${host.id}] button`);
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.step(Number(button.dataset.step)));
    }
  }

  step(direction) {
    this.set(this.factor * STEP ** direction);
  }

  // Zooms, and keeps what is at a point of the window where it is.
  set(wanted = FIT, point = this.middle()) {
    const { host } = this;
    const grid = find(".grid", host);
    const factor = Math.min(MOST, Math.max(FIT, wanted));
    if (!grid || factor === this.factor) return;
    const before = grid.getBoundingClientRect();
    const [x, y] = [(point.x - before.left) / before.width, (point.y - before.top) / before.height];
    this.factor = factor;
    placeOf(host).style.setProperty("--zoom", factor);
    const after = grid.getBoundingClientRect();
    host.scrollBy(after.left + x * after.width - point.x, after.top + y * after.height - point.y);
    const output = find(`[data-board=${host.id}] output`);
    if (output) output.textContent = `${Math.round(factor * 100)}%`;
  }

  // The middle of the cell with the focus, or of what is seen of the board.
  middle() {
    const { host } = this;
    const { left, top, width, height } = (find(".cell:focus", host) ?? host).getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  // Touchpads send pinches as wheel events with Ctrl.
  onWheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const delta = Math.min(MAX_WHEEL, Math.max(-MAX_WHEEL, event.deltaY));
    this.set(this.factor * Math.exp(-delta * PER_PIXEL), event);
  }

  onTouch(event) {
    if (event.touches.length !== 2) return;
    if (event.cancelable) event.preventDefault();
    const [one, two] = [...event.touches].map(({ clientX, clientY }) => ({ x: clientX, y: clientY }));
    const distance = Math.hypot(one.x - two.x, one.y - two.y);
    if (!this.pinch) {
      this.pinch = { distance, factor: this.factor };
      this.onPinch();
      return;
    }
    const { pinch } = this;
    this.set(pinch.factor * (distance / pinch.distance), { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 });
  }
}

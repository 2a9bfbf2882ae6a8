// Shows the solution step by step on the board.

import { button, make, plural, upper } from "./dom.js";
import { replaced } from "./history.js";
import { profile } from "./levels.js";

export class Explanation {
  constructor(analysis, puzzle, result, start) {
    Object.assign(this, { analysis, puzzle, steps: result.steps });
    this.boards = [start];
    for (const step of this.steps) this.boards.push(this.after(this.boards.at(-1), step));
    this.build(result);
    this.go(0);
  }

  after(cells, step) {
    return step.cells.reduce(
      (board, place, n) => replaced(board, this.puzzle.index(place), step.values[n]), cells);
  }

  build(result) {
    const last = this.steps.length;
    this.slider = make("input", {
      type: "range", min: 0, max: last, value: 0, id: "step", input: () => this.go(Number(this.slider.value)),
    });
    this.number = make("output", { for: "step" });
    this.sentence = make("p", { class: "sentence", "aria-live": "polite" });
    const end = result.steps.length && !this.boards.at(-1).includes(".") ? "" : "No further step follows from this board.";
    const { analysis } = this;
    analysis.card("Step by step",
      make("label", {}, make("span", {}, "Step ", this.number), this.slider),
      this.sentence,
      make("div", { class: "buttons" },
        this.back = button("Back", () => this.go(this.at - 1)),
        this.next = button("Next", () => this.go(this.at + 1), { class: "main" })),
      end && make("p", {}, end),
      profile(this.steps, analysis.width, (step) => this.go(step)));
    this.bars = [...analysis.host.querySelectorAll(".bar")];
  }

  go(at) {
    const step = this.steps[at - 1];
    this.at = at;
    this.slider.value = at;
    this.number.value = `${at} of ${this.steps.length}`;
    this.back.disabled = at === 0;
    this.next.disabled = at === this.steps.length;
    this.sentence.textContent = step
      ? `${upper(step.technique)}: ${step.sentence}`
      : `The board before ${plural(this.steps.length, "step")}.`;
    this.slider.setAttribute("aria-valuetext", `Step ${at}. ${this.sentence.textContent}`);
    this.bars.forEach((bar, n) => bar.classList.toggle("now", n + 1 === step?.round));
    const highlights = step ? { target: step.cells, reason: step.reason } : {};
    this.analysis.play.showInstead({ cells: this.boards[at], highlights });
  }
}


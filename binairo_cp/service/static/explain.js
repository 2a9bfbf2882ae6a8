// Shows the solution step by step on the board, and the chain of a trial part by part.

import { filled, frameList, framesOf, highlightsOf, rulesOf } from "./reasons.js";
import { button, make, upper } from "./dom.js";
import { n, t } from "./texts.js";

export class Explanation {
  analysis; puzzle; steps; language;

  constructor(analysis, puzzle, result, start) {
    Object.assign(this, { analysis, puzzle, steps: result.steps, language: result.language ?? null });
    this.boards = [start];
    for (const { cells, values } of this.steps) this.boards.push(filled(puzzle, this.boards.at(-1), cells, values));
    this.build(result);
    this.go(1, 0);
  }

  // The parts of a step before it is made.
  framesOf(at) {
    const chain = this.steps[at - 1]?.chain;
    return chain ? framesOf(chain, this.puzzle, this.boards[at - 1]) : [];
  }

  build(result) {
    const last = this.steps.length;
    this.slider = make("input", {
      type: "range", min: 0, max: last, value: 0, id: "step", input: () => this.go(Number(this.slider.value)),
    });
    this.number = make("output", { for: "step" });
    this.sentence = make("p", { class: "sentence", "aria-live": "polite", lang: this.language });
    this.support = make("div");
    this.chain = make("div");
    const end = result.broken ? `${result.broken.sentence} ${t("So there is no solution.")}`
      : result.isPart ? t("The page knows no further step without a server.")
      : result.steps.length && !this.boards.at(-1).includes(".") ? "" : t("There is no further logical step.");
    const { analysis } = this;
    analysis.sheet(t("Step by step"),
      make("label", {}, make("span", {}, t("Step"), " ", this.number), this.slider),
      this.sentence,
      this.support,
      make("div", { class: "buttons" },
        this.back = button(t("Back"), () => this.goBack()),
        this.next = button(t("Next"), () => this.goOn(), { class: "main" })),
      this.chain,
      end && make("p", {}, end));
  }

  // The parts of a chain come before its step.
  goOn() {
    if (this.part !== null) this.go(this.at, this.part + 1);
    else this.go(this.at + 1, 0);
  }

  goBack() {
    const last = this.frames.length - 1;
    if (this.part === null && last >= 0) this.go(this.at, last);
    else if (this.part) this.go(this.at, this.part - 1);
    else this.go(this.at - 1);
  }

  // Shows a step, or a part of its chain if it has so many.
  go(at, part = null) {
    const step = this.steps[at - 1];
    if (at !== this.at) this.frames = this.framesOf(at);
    const frame = this.frames[part ?? this.frames.length];
    this.at = at;
    this.part = frame ? part : null;
    this.slider.value = at;
    const parts = frame ? `, ${t("part {number} of {all}", { number: part + 1, all: this.frames.length })}` : "";
    this.number.value = t("{number} of {all}", { number: at, all: this.steps.length }) + parts;
    this.back.disabled = at === 0;
    this.next.disabled = at === this.steps.length && !frame;
    this.sentence.textContent = frame ? frame.text : step
      ? `${upper(step.name ?? step.technique)}: ${step.sentence}`
      : n(this.steps.length, "The board before {number} step.", "The board before {number} steps.");
    this.chain.replaceChildren(...(this.frames.length ? [frameList(this.frames, this.part, this.language)] : []));
    this.support.replaceChildren(...[step && rulesOf(step, this.language)].filter(Boolean));
    this.slider.setAttribute("aria-valuetext", `${t("Step")} ${at}. ${this.sentence.textContent}`);
    const highlights = step ? highlightsOf(step, this.puzzle) : {};
    const { play } = this.analysis;
    play.showInstead(frame ?? { cells: this.boards[at], highlights });
    if (step) play.view.reveal(step.cells);
  }
}

// Hints for the board that is played: the next step or the first mistake, and the chain behind a step.

import { post } from "./api.js";
import { framesOf } from "./chain.js";
import { find } from "./dom.js";
import { highlightsOf } from "./reasons.js";
import { besideBoard, inStyle } from "./style.js";
import { rulesOf } from "./support.js";

export class Hints {
  constructor(play) {
    Object.assign(this, { play, step: null });
  }

  forget() {
    this.step = null;
  }

  requestOrApply() {
    if (this.step) this.apply();
    else this.request();
  }

  request(isRenewed = false) {
    const { play } = this;
    if (play.game.isFull && !play.game.isWon) return play.check();
    if (play.game.isFull) return play.checkFullBoard();
    return play.message.run(find("#hint"), async () => {
      const { game, puzzle } = play;
      const { cells } = game;
      const result = await inStyle(puzzle, (style) => post("hint", { puzzle: puzzle.record, board: cells, ...besideBoard(style) }));
      if (play.game !== game || game.cells !== cells || play.shown) return;
      const [step] = result.steps ?? [];
      if (!isRenewed) game.count(result.mistake ? "checks" : "hints");
      if (result.mistake) this.showMistake(result.mistake, result.language);
      else if (step) this.show(step, result.language);
      else play.message.say(noStep(result));
    });
  }

  // Asks for the hint again, as the player now wants it.
  renew() {
    if (this.step && !this.play.shown) this.request(true);
  }

  showMistake({ cells, sentence }, lang) {
    this.play.highlight({ wrong: cells });
    this.play.message.say(sentence, { kind: "bad", lang, spoken: `(${placesText(cells)})` });
  }

  show(step, lang) {
    const { play } = this;
    play.highlight(highlightsOf(step, play.puzzle));
    this.step = step;
    const chain = step.chain && { "Show why": () => this.playChain(step, lang) };
    const actions = { ...chain, Apply: () => this.apply() };
    play.message.say(step.sentence, { actions, lang, details: rulesOf(step, lang), spoken: `(${placesText(step.cells)})` });
    play.view.reveal(play.puzzle.index(step.cells[0]));
  }

  // Plays the chain of a hint on the board, then shows the hint again.
  playChain(step, lang, part = 0) {
    const { play } = this;
    const frames = framesOf(step.chain, play.puzzle, play.game.cells);
    const isOver = part === frames.length;
    play.showInstead(isOver ? null : frames[part]);
    if (isOver) this.show(step, lang);
    else play.message.say(frames[part].text, { actions: { Next: () => this.playChain(step, lang, part + 1) }, lang });
  }

  apply() {
    const { step, play } = this;
    if (!step) return;
    play.game.setAll(step.cells.map((place) => play.puzzle.index(place)), step.values);
    const isHere = play.message.host.contains(document.activeElement);
    play.changed();
    if (isHere) find("#hint").focus();
  }
}

const placesText = (places) => places.map(([row, column]) => `row ${row + 1}, column ${column + 1}`).join("; ");

function noStep(result) {
  if (result.verdict === "none") return "This puzzle has no solution.";
  if (result.verdict === "multiple") return "There is no next step: the puzzle has several solutions.";
  if (result.verdict === "unknown") return "The time limit was reached.";
  return "No technique finds a next step.";
}

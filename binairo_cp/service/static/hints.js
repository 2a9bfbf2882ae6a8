// Hints for the board that is played: the next step or the first mistake, and the chain behind a step.

import { post } from "./api.js";
import { framesOf, highlightsOf, rulesOf } from "./reasons.js";
import { find } from "./dom.js";
import { besideBoard, cellName, inStyle, lineText, placeText } from "./names.js";
import { OPEN } from "./puzzle.js";
import { linesOf } from "./rules.js";
import { t } from "./texts.js";

export class Hints {
  play; step; isShown; lang;

  constructor(play) {
    Object.assign(this, { play, step: null, isShown: false });
  }

  // Keeps a step, and names on the button what comes next.
  set(step, isShown = false) {
    Object.assign(this, { step, isShown });
    find("#hint span").textContent = step ? (isShown ? t("Apply") : t("Show step")) : t("Hint");
  }

  // A hint comes in three parts: where to look and for what, the step with its reason, and its values.
  advance() {
    if (this.step && this.isShown) this.apply();
    else if (this.step) this.show(this.step, this.lang);
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
      if (result.mistake) this.showMistake(result);
      else if (step && isRenewed) this.show(step, result.language);
      else if (step) this.announce(step, result.language);
      else play.message.say(noStep(result));
    });
  }

  // Asks for the hint again, as the player now wants it.
  renew() {
    if (this.isShown && !this.play.shown) this.request(true);
  }

  showMistake({ mistake: { cells, sentence }, solution, language }) {
    const { play } = this;
    const wrong = cells.map((place) => play.puzzle.index(place)).filter((index) => !play.game.isClue(index));
    const differing = wrong.filter((index) => solution && play.game.cells[index] !== solution[index]);
    const clear = () => this.write(differing.length ? differing : wrong, OPEN);
    const actions = wrong.length ? { [t("Clear it")]: clear } : {};
    play.highlight({ wrong: cells });
    play.message.say(sentence, { kind: "bad", actions, lang: language, spoken: `(${placesText(cells)})` });
  }

  announce(step, lang) {
    const { play } = this;
    const lines = linesOf(play.puzzle).filter(({ name }) => name === step.line);
    play.highlight({ span: lines.flatMap(({ cells }) => cells) });
    this.set(step);
    this.lang = lang;
    const place = step.line ? lineText(step.line) : cellName(step.cells[0]);
    play.message.say(t("Look at {place}. Technique: {technique}.", { place, technique: t(step.technique) }));
    play.view.reveal(step.cells);
  }

  show(step, lang) {
    const { play } = this;
    play.highlight(highlightsOf(step, play.puzzle));
    this.set(step, true);
    const actions = step.chain ? { [t("Show why")]: () => this.playChain(step, lang) } : {};
    play.message.say(step.sentence, { actions, lang, details: rulesOf(step, lang), spoken: `(${placesText(step.cells)})`, hasMain: false });
    play.view.reveal(step.cells);
  }

  // Plays the chain of a hint on the board, then shows the hint again.
  playChain(step, lang, part = 0) {
    const { play } = this;
    const frames = framesOf(step.chain, play.puzzle, play.game.cells);
    const isOver = part === frames.length;
    play.showInstead(isOver ? null : frames[part]);
    if (isOver) this.show(step, lang);
    else play.message.say(frames[part].text, { actions: { [t("Next")]: () => this.playChain(step, lang, part + 1) }, lang });
  }

  apply() {
    const { step, play } = this;
    this.write(step.cells.map((place) => play.puzzle.index(place)), step.values);
  }

  write(cells, values) {
    const { play } = this;
    play.game.setAll(cells, values);
    const isHere = play.message.host.contains(document.activeElement);
    play.changed();
    if (isHere) find("#hint").focus();
  }
}

const placesText = (places) => places.map(placeText).join("; ");

function noStep(result) {
  if (result.verdict === "none") return t("This puzzle has no solution.");
  if (result.verdict === "multiple") return t("There is no next step: the puzzle has several solutions.");
  if (result.verdict === "unknown") return t("The time limit was reached.");
  return t("No technique finds a next step.");
}

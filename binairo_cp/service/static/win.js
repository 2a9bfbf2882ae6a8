// A solved puzzle: the time beside the player's best and median, what to play next, and sharing.

import { dateIn, dateText, noteSolved, showStreak, solvedDays, streaks, today } from "./daily.js";
import { button, find, make, upper } from "./dom.js";
import { solvedText } from "./play.js";
import { toFragment } from "./puzzle.js";
import { groupFor, records, timeText } from "./times.js";
import { levelOf } from "./stock.js";
import { clockText, n, numberText, t } from "./texts.js";

export class Win {
  play; next; daily; card;

  // `next(puzzle, level)` opens another puzzle, and `daily()` that of today.
  constructor(play, next, daily) {
    Object.assign(this, { play, next, daily, card: null });
    play.onWon = () => this.show();
  }

  hide() {
    this.card?.remove();
    this.card = null;
  }

  async show() {
    const { game, puzzle } = this.play;
    await noteSolved(game);
    const level = game.attempt?.grade?.level ?? await levelOf(puzzle.record).catch(() => null);
    if (this.play.game !== game || !game.isWon) return;
    this.hide();
    const note = make("p", { class: "soft", role: "status" });
    const isToday = dateIn(puzzle) === today();
    const isOffered = !isToday && !solvedDays()[today()];
    this.card = make("section", { class: "card win", "aria-labelledby": "win-title" },
      make("h2", { id: "win-title" }, solvedText(game)),
      make("dl", { class: "live-facts" }, ...this.facts(game, level)),
      make("div", { class: "buttons" },
        button(t("Next puzzle"), (event) => this.go(event.target, () => this.next(puzzle, level)), { class: "main" }),
        isOffered && button(t("Play today’s puzzle"), (event) => this.go(event.target, () => this.daily())),
        button(t("Share result"), () => this.share(level, note))),
      note);
    find(".welcome")?.remove();
    find("#message").after(this.card);
    showStreak();
  }

  // Opens another puzzle, and continues on its board.
  async go(starter, open) {
    const { play } = this;
    await play.message.run(starter, open);
    if (!this.card) play.view.focusOn(play.view.focus);
  }

  facts(game, level) {
    const group = groupFor(records(), game.puzzle, level);
    const hints = game.attempt?.hints ?? 0;
    const isBest = game.attempt && !hints && group?.best !== null && game.seconds <= group?.best + 0.1;
    const { current, longest } = streaks();
    const facts = [
      level && [t("Level"), upper(t(level))],
      hints && [t("Hints"), numberText(hints)],
      group?.best && [isBest && group.finished > 1 ? t("A new best time") : hints ? t("Best time without hints") : t("Best time"), timeText(group.best)],
      group?.finished > 1 && [t("Solved of this kind"), numberText(group.finished)],
      dateIn(game.puzzle) && [t("Streak"), n(current, "{number} day, longest {longest}", "{number} days, longest {longest}", { longest })],
    ];
    return facts.filter(Boolean).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  }

  texts(level) {
    const { game, puzzle } = this.play;
    const date = dateIn(puzzle);
    const title = date ? t("Binairo of {date}", { date: dateText(date) }) : `${t(puzzle.kind)} ${puzzle.size}`;
    const { current } = streaks();
    const streak = date && current > 1 && t("{number} days in a row", { number: current });
    const result = [level && t(level), t("solved in {time}", { time: clockText(game.seconds) }), streak].filter(Boolean).join(", ");
    const url = location.href.split("#")[0] + (date ? `#daily=${date}` : toFragment(puzzle));
    return { title, text: `${title}: ${result}`, url };
  }

  // Shares with what the device offers, or copies.
  async share(level, note) {
    const texts = this.texts(level);
    const isOffered = navigator.canShare?.(texts);
    try {
      if (isOffered) await navigator.share(texts);
      else await navigator.clipboard.writeText(`${texts.text}\n${texts.url}`);
      note.textContent = isOffered ? "" : t("Copied: the result and a link.");
    } catch (error) {
      if (error.name === "AbortError") return; // the player has changed their mind
      note.replaceChildren(make("label", {}, t("The browser can’t share. Copy this link:"),
        make("input", { readonly: true, value: texts.url })));
    }
  }
}

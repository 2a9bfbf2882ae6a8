// Messages to the user, below a board. Screen readers announce them.

import { button, make } from "./dom.js";
import { t } from "./texts.js";

export class Message {
  constructor(host) {
    this.host = host;
    host.tabIndex = -1;
  }

  // `actions` are buttons, as labels and click handlers; `lang` is the language of the text if it is not that of the page;
  // `details` is an element below it; `spoken` is added for screen readers; the first button is the main one, if `hasMain`.
  say(text, { kind = "", actions = {}, lang = null, details = null, spoken = null, hasMain = true } = {}) {
    this.host.className = `message ${kind}`.trim();
    const buttons = Object.entries(actions).map(([name, act], n) =>
      button(name, act, { class: n || !hasMain ? "" : "main" }));
    const hadFocus = this.host.contains(document.activeElement);
    const spokenPart = spoken && make("span", { class: "unseen" }, ` ${spoken}`);
    this.host.replaceChildren(...[make("p", { lang }, text, spokenPart), details, ...buttons].filter(Boolean));
    if (hadFocus) (buttons[0] ?? this.host).focus();
  }

  clear() {
    this.host.replaceChildren();
  }

  // Runs work started by a button, and shows errors as messages.
  async run(starter, work) {
    if (starter?.ariaBusy === "true") return;
    if (starter) starter.ariaBusy = "true";
    try {
      await work();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.say(t(error.message), { kind: "bad" }); // modules without translations throw English texts
      if (error.status === undefined) throw error;
    } finally {
      if (starter) starter.ariaBusy = "false";
    }
  }
}

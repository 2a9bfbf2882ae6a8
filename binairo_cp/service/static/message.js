// Messages to the user, below a board. Screen readers announce them.

import { button, make } from "./dom.js";

export class Message {
  constructor(host) {
    this.host = host;
  }

  // `actions` are buttons, as an object of labels and click handlers; `lang` is the language of the text
  // if it is not English; `details` is an element to show below it; `spoken` is
  // added for screen readers.
  say(text, { kind = "", actions = {}, lang = null, details = null, spoken = null } = {}) {
    this.host.className = `message ${kind}`.trim();
    const buttons = Object.entries(actions).map(([name, act], n) =>
      button(name, act, { class: n ? "" : "main" }));
    this.host.replaceChildren(...[make("p", { lang }, text, spoken && make("span", { class: "unseen", lang: "en" }, ` ${spoken}`)), details, ...buttons].filter(Boolean));
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
      this.say(error.message, { kind: "bad" });
      if (error.status === undefined) throw error;
    } finally {
      if (starter) starter.ariaBusy = "false";
    }
  }
}

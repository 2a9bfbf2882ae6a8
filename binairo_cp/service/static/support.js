// The rules of a smallest explanation: those that imply a step together with its reason.

import { make } from "./dom.js";

// The size and the rules as an element; null for other steps.
export function rulesOf({ support }, lang) {
  if (!support) return null;
  const rules = support.constraints.map(({ sentence }) => make("li", {}, sentence));
  return make("div", { class: "support", lang }, make("p", {}, support.sentence), make("ul", {}, ...rules));
}

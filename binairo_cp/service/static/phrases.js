// Sentences about steps and mistakes without the server: its templates in all languages, as in
// binairo_cp/deduction/wording.py. `phrases.json` has those of the techniques that the page knows.

import { letters } from "./puzzle.js";

const FORMS = ["", "one", "all", "many"];
const CHARACTERS = { digits: ["0", "1"], circles: ["○", "●"], sunmoon: ["☀", "☾"] };

export class Wording {
  phrases; language; symbols; coordinates; width;

  // `phrases` is the content of phrases.json for a language; `style` as in requests.
  constructor(phrases, { language, symbols, coordinates }, width) {
    Object.assign(this, { phrases, language, symbols, coordinates, width });
    this.hasNoNames = coordinates === "none";
  }

  // A sentence from a template. Each field is what `terms` below return; `number` chooses its form.
  sentence(name, fields, number = 1) {
    const { highlighted, templates } = this.phrases;
    const forms = (this.hasNoNames && highlighted[name]) || templates[name];
    return this.filled(this.form(forms, number), fields);
  }

  filled(template, fields) {
    return template.replace(/\{(\w+)(?:\.(\w+))?\}/g, (_, field, form) => {
      const { words, isName } = fields[field];
      if (form === "start") return isName ? words : words.charAt(0).toUpperCase() + words.slice(1);
      return form ? fields[field].forms[FORMS.indexOf(form)] : words;
    });
  }

  form(forms, number) {
    return forms.length === 1 ? forms[0] : forms[this.phrases.several(number) ? 1 : 0];
  }

  word(name, number = 1) {
    return this.form(this.phrases.words[name], number);
  }

  symbol(value) {
    const forms = this.word(`${this.symbols}.${value}`).split("|").map((each) => each.trim());
    return { words: forms[0], forms };
  }

  number(number) {
    return { words: this.word("numbers").split(" ")[number] ?? String(number) };
  }

  cells(indices) {
    if (this.hasNoNames) return { words: this.word("cells", indices.length) };
    return { words: this.listed(indices.map((index) => this.cellName(index))), isName: true };
  }

  cellName(index) {
    const [row, column] = [Math.floor(index / this.width) + 1, (index % this.width) + 1];
    return this.coordinates === "a1" ? `${letters(column)}${row}` : `r${row}c${column}`;
  }

  // Lines such as "row 3"; `role` is what they are called without coordinates.
  lines(names, role = "line") {
    if (this.hasNoNames) return { words: this.word(`${names[0].split(" ")[0]}.${role}`) };
    return { words: this.listed(names.map((name) => this.lineName(name))) };
  }

  lineName(name) {
    const [direction, number] = name.split(" ");
    const own = direction === "column" && this.coordinates === "a1" ? letters(Number(number)) : number;
    return this.word(direction).replace("{name}", own);
  }

  ways(ways) {
    const characters = CHARACTERS[this.symbols];
    const joint = this.symbols === "digits" ? "" : "\u2060"; // keeps a sequence on one line
    return { words: this.listed(ways.map((way) => [...way].map((value) => characters[value]).join(joint)), "or") };
  }

  listed(words, joined = "and") {
    const join = (name, first, last) => this.word(name).replace("{first}", () => first).replace("{last}", () => last);
    if (words.length < 2) return words.join("");
    return join(joined, words.slice(0, -1).reduce((text, word) => join("comma", text, word)), words.at(-1));
  }
}

// The content of phrases.json for a language. French uses the singular for zero, Japanese has no plural.
export function phrasesOf(all, language) {
  return { ...all[language], several: (number) => (language === "fr" ? number > 1 : number !== 1) };
}

export function stepSentence(step, wording) {
  const ends = { cells: wording.cells(step.cells), value: wording.symbol(step.value) };
  const terms = {
    ...ends,
    so: { words: wording.filled(wording.word("so", step.cells.length), ends) },
    reason: wording.cells(step.reason),
    line: wording.lines([step.line]),
    symbol: wording.symbol(step.symbol),
    too_many: wording.number(step.tooMany),
    ...(step.most !== undefined ? { most: wording.number(step.most) } : {}),
    ...(step.span ? { first: wording.cells(step.span.slice(0, 1)), last: wording.cells(step.span.slice(1)) } : {}),
    ...(step.ways ? { ways: wording.ways(step.ways.slice(0, 6)) } : {}),
  };
  return wording.sentence(step.template, terms, step.cells.length);
}

// The first visit: the rules as three small pictures, above an easy puzzle.

import { button, draw, find, make } from "./dom.js";
import { t } from "./texts.js";

const RULES = [
  { rows: ["0001"], marked: [0, 1, 2], isWrong: true, text: t("Never three of the same side by side.") },
  { rows: ["010110"], marked: [], isWrong: false, text: t("As many 0 as 1 in each row and column.") },
  { rows: ["0110", "0110"], marked: [0, 1, 2, 3, 4, 5, 6, 7], isWrong: true, text: t("No two rows and no two columns are equal.") },
];
const SIDE = 20;

export function welcome(board) {
  const close = button(t("Got it"), () => { card.remove(); board.focusOn(board.focus); });
  const card = make("section", { class: "card welcome", "aria-labelledby": "welcome-title" },
    make("h2", { id: "welcome-title" }, t("Fill the board with 0 and 1")),
    make("ul", {}, ...RULES.map((rule) => make("li", {}, pictureOf(rule), make("span", {}, rule.text)))),
    close);
  // The board keeps its place, and the rules stay until they are read.
  find(".side").prepend(card);
  return card;
}

function pictureOf({ rows, marked, isWrong }) {
  const width = rows[0].length;
  const cells = [...rows.join("")].flatMap((value, index) => {
    const [x, y] = [(index % width) * SIDE, Math.floor(index / width) * SIDE];
    return [
      draw("rect", { x, y, width: SIDE, height: SIDE, class: marked.includes(index) ? "wrong" : "" }),
      draw("use", { href: `#digits-${value}`, x, y, width: SIDE, height: SIDE }),
    ];
  });
  const [right, bottom] = [width * SIDE, rows.length * SIDE];
  const mark = isWrong
    ? draw("path", { d: `M${right + 8} ${bottom / 2 - 6}l12 12m0-12l-12 12`, class: "mark wrong" })
    : draw("path", { d: `M${right + 7} ${bottom / 2}l5 6 9-13`, class: "mark" });
  return draw("svg", { viewBox: `-1 -1 ${right + 26} ${bottom + 2}`, height: bottom + 2, "aria-hidden": "true" }, ...cells, mark);
}

// What the board highlights for a step: its cells, its reason, and the lines and neighbours it looks at.

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

const between = ([[top, left], [bottom, right]]) =>
  range(top, bottom).flatMap((row) => range(left, right).map((column) => [row, column]));

// The cells of lines such as "row 3", counted from 1, in one direction.
const cellsOf = (lines, direction, { height, width }) =>
  lines.filter((name) => name.startsWith(direction)).flatMap((name) => {
    const at = Number(name.split(" ")[1]) - 1;
    return direction === "row" ? between([[at, 0], [at, width - 1]]) : between([[0, at], [height - 1, at]]);
  });

export function highlightsOf({ cells, reason, line, compared = [], spans = [] }, puzzle) {
  const lines = [line, ...compared].filter(Boolean);
  return {
    target: cells,
    reason,
    span: spans.flatMap(between),
    row: cellsOf(lines, "row", puzzle),
    column: cellsOf(lines, "column", puzzle),
  };
}

// A picture of a puzzle with a title and a line of text, for sharing. It shows only the clues.

const [WIDTH, MARGIN, HEAD] = [720, 40, 130];
const FONT = "system-ui, sans-serif";
const [PAPER, INK, SOFT, LINE, CLUE] = ["#f6f5f1", "#1d242b", "#565f68", "#84827b", "#e9e7e0"];

// It imports nothing, so that it is a small file of its own. `set` is the set of symbols.
export function imageOf(puzzle, set, title, text) {
  const side = (WIDTH - 2 * MARGIN) / puzzle.width;
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEAD + side * puzzle.height + MARGIN });
  const pen = canvas.getContext("2d");
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = INK;
  pen.font = `bold 38px ${FONT}`;
  pen.fillText(title, MARGIN, 62, WIDTH - 2 * MARGIN);
  pen.fillStyle = SOFT;
  pen.font = `26px ${FONT}`;
  pen.fillText(text, MARGIN, 104, WIDTH - 2 * MARGIN);
  [...puzzle.clues].forEach((value, index) => {
    const [row, column] = puzzle.place(index);
    drawCell(pen, value, set, MARGIN + column * side, HEAD + row * side, side);
  });
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

function drawCell(pen, value, set, x, y, side) {
  pen.fillStyle = value === "." ? "#ffffff" : CLUE;
  pen.fillRect(x, y, side, side);
  pen.strokeStyle = LINE;
  pen.lineWidth = 1;
  pen.strokeRect(x, y, side, side);
  if (value === ".") return;
  [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [INK, INK, side / 12];
  if (set === "digits") {
    Object.assign(pen, { font: `600 ${side * 0.6}px ${FONT}`, textAlign: "center", textBaseline: "middle" });
    pen.fillText(value, x + side / 2, y + side * 0.53);
    Object.assign(pen, { textAlign: "start", textBaseline: "alphabetic" });
    return;
  }
  pen.beginPath();
  pen.arc(x + side / 2, y + side / 2, side * 0.27, 0, 2 * Math.PI);
  if (value === "1") pen.fill();
  else pen.stroke();
}

// States that can be taken back, and brought again, even after the page was loaded anew.

const MOST = 1_000;
const MOST_COMPARED = 1_000_000; // characters: bounds the time it takes to write a history down
const MOST_WRITTEN = 25_000; // characters: the browser keeps a hundred games in a few megabytes

export class History {
  constructor(state) {
    this.state = state;
    this.past = [];
    this.future = [];
  }

  // What the browser keeps: the state as text, and each other state as the change from its neighbour
  // that is nearer to it. `write` makes a text of a state.
  kept(write) {
    const now = write(this.state);
    const changes = (states) => {
      const found = [];
      let room = MOST_WRITTEN;
      let [text, compared] = [now, 0];
      for (const state of states.toReversed()) {
        const next = write(state);
        const change = changeOf(text, next);
        room -= JSON.stringify(change).length;
        compared += next.length;
        if (room < 0 || compared > MOST_COMPARED) break;
        found.push(change);
        text = next;
      }
      return found;
    };
    return { now, past: changes(this.past), future: changes(this.future) };
  }

  // The history that was kept. `read` makes a state of a text, or throws; a state that can't be read
  // ends what is known in its direction.
  static of(kept, read) {
    const history = new History(read(kept.now));
    for (const way of ["past", "future"]) {
      let text = kept.now;
      try {
        for (const change of kept[way]) {
          text = changed(text, change);
          history[way].unshift(read(text));
        }
      } catch {
        // It was kept by another version of the page, or is broken.
      }
    }
    return history;
  }

  // A state that is joined to the one before is taken back with it.
  push(state, isJoined = false) {
    if (!isJoined) this.past.push(this.state);
    if (this.past.length > MOST) this.past.shift();
    this.state = state;
    this.future = [];
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.state);
    this.state = this.past.pop();
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.state);
    this.state = this.future.pop();
    return true;
  }
}

// A change of a text: where, how many characters go, and what comes in their place.
function changeOf(from, to) {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < most - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  return [start, from.length - start - end, to.slice(start, to.length - end)];
}

const changed = (text, [start, length, inserted]) =>
  text.slice(0, start) + inserted + text.slice(start + length);

export const replaced = (text, index, value) => text.slice(0, index) + value + text.slice(index + 1);

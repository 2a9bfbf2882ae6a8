// Undo and redo, which also work after the page is reloaded.

const MAX_STATES = 1_000;
const MAX_COMPARED = 1_000_000; // characters; limits the time for serializing a history
const MAX_WRITTEN = 25_000; // characters; a hundred games must fit into a few megabytes

export class History {
  constructor(state) {
    this.state = state;
    this.past = [];
    this.future = [];
  }

  // Serializes the history: the current state as text, and every other state as a change of its
  // neighbour. `write` converts a state to text.
  serialize(write) {
    const now = write(this.state);
    const changes = (states) => {
      const found = [];
      let room = MAX_WRITTEN;
      let [text, compared] = [now, 0];
      for (const state of states.toReversed()) {
        const next = write(state);
        const change = changeOf(text, next);
        room -= JSON.stringify(change).length;
        compared += next.length;
        if (room < 0 || compared > MAX_COMPARED) break;
        found.push(change);
        text = next;
      }
      return found;
    };
    return { now, past: changes(this.past), future: changes(this.future) };
  }

  // Restores a serialized history. `read` converts text to a state, or throws. States beyond one that
  // can't be read are dropped.
  static restore(saved, read) {
    const history = new History(read(saved.now));
    for (const direction of ["past", "future"]) {
      let text = saved.now;
      try {
        for (const change of saved[direction]) {
          text = changed(text, change);
          history[direction].unshift(read(text));
        }
      } catch {
        // The data is broken, or from another version of the page.
      }
    }
    return history;
  }

  // A joined state is undone together with the previous one.
  push(state, isJoined = false) {
    if (!isJoined) this.past.push(this.state);
    if (this.past.length > MAX_STATES) this.past.shift();
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

// A change of a text: the position, the number of removed characters, and the inserted text.
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

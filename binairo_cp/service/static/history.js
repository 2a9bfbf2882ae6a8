// States that can be taken back, and brought again.

const MOST = 1_000;

export class History {
  constructor(state) {
    this.state = state;
    this.past = [];
    this.future = [];
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

export const replaced = (text, index, value) => text.slice(0, index) + value + text.slice(index + 1);

// What the browser keeps for this page, as JSON; without room or leave it keeps nothing, and all goes on.

const PREFIX = "binairo:";

export function load(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function drop(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // There is nothing, then.
  }
}

export function names(start) {
  try {
    const all = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX + start));
    return all.map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

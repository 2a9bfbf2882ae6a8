// Store JSON in the browser. Without storage the page still works, but forgets everything on reload.

const PREFIX = "binairo:";

export function load(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

// Calls back with the name of what another tab of the page has stored.
export const onChange = (act) =>
  window.addEventListener("storage", ({ key }) => { if (key?.startsWith(PREFIX)) act(key.slice(PREFIX.length)); });

export function remove(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage there is nothing to remove.
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

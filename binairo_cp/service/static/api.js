// The service: what is asked, and what goes wrong. docs/service.md tells the routes.

import { upper } from "./dom.js";
import { keep, load } from "./kept.js";

const KEY = "key";
const MOST_WAIT = 5; // seconds
const PATIENCE = 4;
const POLL = 2; // seconds
const LONGEST_START = 300; // seconds; after that requests are sent anyway

export class Problem extends Error {
  constructor(status, told) {
    super(sentence(status, told));
    this.status = status;
    this.fault = told.errors?.[0];
  }
}

function sentence(status, told) {
  const fault = told.errors?.[0];
  const text = fault?.detail || told.detail || `The server answered with status ${status}`;
  const where = fault?.line
    ? `line ${fault.line}${fault.column ? `, column ${fault.column}` : ""}: `
    : "";
  const end = /[.!?]$/.test(text) ? "" : ".";
  return upper(`${where}${text}${end}`);
}

// Errors that may be gone a little later: the server is away, busy, starting or stopping.
export const isPassing = (error) => error instanceof Problem && [0, 429, 502, 503].includes(error.status);

let askForKey = async () => null;
// A server may want a key; the page then asks for it by this.
export const onKeyNeeded = (ask) => { askForKey = ask; };

let asking = null;
let given = null;
// Another tab may have kept a newer one; a browser that keeps nothing has what was given here.
const keyNow = () => load(KEY) ?? given;

// Requests that are refused together ask once, and a late one takes what was given meanwhile.
async function otherKeyThan(refused) {
  const now = keyNow();
  if (now && now !== refused) return now;
  asking ??= askForKey().finally(() => { asking = null; });
  const key = await asking;
  if (key) {
    given = key;
    keep(KEY, key);
  }
  return key;
}

export const sleep = (seconds) => new Promise((wake) => { setTimeout(wake, seconds * 1000); });

async function told(response) {
  try {
    return await response.json();
  } catch {
    return {};
  }
}

let tellWaiting = () => {};
// The page says why nothing happens yet; an empty text when the waiting is over.
export const onWaiting = (tell) => { tellWaiting = tell; };

const STARTING = "The server is starting. The first time on a machine this takes a minute or two.";
const AWAY = "The server can't be reached. Trying again…";

// Why requests have to wait; null if they need not.
async function reasonToWait() {
  try {
    const { status } = await fetch("readyz");
    return status === 503 ? STARTING : null;
  } catch {
    return AWAY;
  }
}

async function untilReady() {
  const end = performance.now() + LONGEST_START * 1000;
  for (;;) {
    const reason = await reasonToWait();
    tellWaiting(reason ?? "");
    if (!reason || performance.now() > end) break;
    await sleep(POLL);
  }
  tellWaiting("");
}

// A server that starts makes requests wait until they fail, so none is sent before it is ready.
let ready = null;

// One request; waits a little where the server asks for it.
export async function send(path, options = {}) {
  await (ready ??= untilReady());
  for (let left = PATIENCE; ; left -= 1) {
    const key = keyNow();
    const headers = { ...options.headers, ...(key ? { "X-API-Key": key } : {}) };
    let response;
    try {
      response = await fetch(path, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, { detail: "The server can't be reached." });
    }
    if (response.ok) return response;
    if (response.status === 401 && left) {
      if (!await otherKeyThan(key)) throw new Problem(401, await told(response));
      continue;
    }
    const wait = Number(response.headers.get("Retry-After"));
    if (response.status !== 503 || !left || !(wait <= MOST_WAIT)) {
      throw new Problem(response.status, await told(response));
    }
    await sleep(wait);
  }
}

const asJson = (body, signal) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

export async function ask(word, body, signal) {
  return (await send(`v1/${word}`, asJson(body, signal))).json();
}

export async function get(path) {
  return (await send(path)).json();
}

// A file that the service makes, with the name that it gives it.
export async function take(word, body) {
  const response = await send(`v1/${word}`, asJson(body));
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { name: name ?? word, blob: await response.blob() };
}

// Puzzles in any format, as records.
export async function read(text, rules) {
  const body = { puzzles: text, to: "ndjson", ...(rules ? { rules } : {}) };
  return records((await send("v1/convert", asJson(body))));
}

export async function readFile(file, rules) {
  const query = new URLSearchParams({ to: "ndjson", ...(rules ? { rules } : {}) });
  return records(await send(`v1/convert?${query}`, await upload(file)));
}

async function records(response) {
  const text = await response.text();
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// A file as the body of a request; one that begins as gzip does is sent as that.
export async function upload(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  return {
    method: "POST",
    headers: { "Content-Type": "text/plain", ...(isPacked ? { "Content-Encoding": "gzip" } : {}) },
    body: file,
  };
}

async function* pieces(response, separator) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (kept + value).split(separator);
    kept = parts.pop();
    yield* parts;
  }
  if (kept) yield kept;
}

// Server-sent events by fetch, since an EventSource can't send a key.
export async function* events(path, signal) {
  for await (const block of pieces(await send(path, { signal }), "\n\n")) {
    const lines = block.split("\n").filter((line) => !line.startsWith(":"));
    const value = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (value("data")) yield { name: value("event"), data: JSON.parse(value("data")) };
  }
}

export async function* lines(path, signal) {
  for await (const line of pieces(await send(path, { signal }), "\n")) {
    if (line) yield JSON.parse(line);
  }
}

// Requests to the server, and its errors. The routes are described in docs/service.md.

import { HAS_SOLVER, isReady as isSolverReady, load as loadSolver, respond } from "./browser.js";
import { upper } from "./dom.js";
import { load, store } from "./storage.js";
import { language, t } from "./texts.js";

const KEY = "key";
const MAX_RETRY_AFTER = 5; // seconds
const MAX_RETRIES = 4;
const POLL = 2; // seconds
const MAX_POLL = 30; // seconds; while the server is away
const MAX_OWN = 1 << 20; // bytes of a file that the page reads by itself
const MAX_START = 300; // seconds; after that requests are sent anyway
export const PATIENCE = 3; // seconds; after that the page answers by itself, if it can

// Whether the page is a site without a server.
export const IS_ALONE = document.documentElement.dataset.server === "none";
// Whether it has no server, but may have the solver itself.
export const IS_SITE = IS_ALONE || HAS_SOLVER;
const ALONE = t("This needs a server, and this site has none. The server of the command “binairo serve” can do it.");

export class Problem extends Error {
  constructor(status, body) {
    super(sentence(status, body));
    this.status = status;
    this.fault = body.errors?.[0];
  }
}

function sentence(status, body) {
  const text = body.detail || t("The server answered with status {status}.", { status });
  const said = faultText({ ...body.errors?.[0], message: text });
  return !body.type || language === "en" ? said : MEANINGS[status] ?? said;
}

// A fault in a puzzle, with its place. The page knows what the most frequent ones mean; others need the
// words of the server, which are English.
export function faultText({ kind, line, column, message }) {
  const place = column ? t("line {line}, column {column}", { line, column }) : t("line {line}", { line });
  const where = line ? `${place}: ` : "";
  const said = `${message}${/[.!?。]$/.test(message) ? "" : "."}`;
  if (language === "en" || !kind) return upper(where + said);
  return upper(where + (KINDS[kind] ?? t("The server refused this. It says in English: “{said}”", { said })));
}

const KINDS = {
  format: t("This is no puzzle. Write 0, 1 and . for open cells, one row a line."),
  limit: t("This is too large for the server."),
  budget: t("The time limit was reached."),
};

// What the server means by its status.
const MEANINGS = {
  401: t("The server requires another API key."),
  413: t("This is too large for the server."),
  429: t("The server got too many requests. Wait a moment."),
  503: t("The server is busy. Try again in a moment."),
  504: t("The time limit was reached."),
};

// Temporary errors: the server is unreachable, busy, starting or stopping.
export const isTemporary = (error) => error instanceof Problem && [0, 429, 502, 503].includes(error.status);

/** @type {() => Promise<string | null>} */
let requestKey = async () => null;
// Sets the function that asks the user for an API key if the server requires one.
export const onKeyNeeded = (request) => { requestKey = request; };

let keyRequest = null;
let enteredKey = null;
// Another tab may have stored a newer key. Without storage, the key entered on this page is used.
const currentKey = () => load(KEY) ?? enteredKey;

// Asks for a key only once, even if several requests are refused at the same time.
async function otherKeyThan(refused) {
  const current = currentKey();
  if (current && current !== refused) return current;
  keyRequest ??= requestKey().finally(() => { keyRequest = null; });
  const key = await keyRequest;
  if (key) {
    enteredKey = key;
    store(KEY, key);
  }
  return key;
}

export const sleep = (seconds) => new Promise((wake) => { setTimeout(wake, seconds * 1000); });

const bodyOf = (response) => response.json().catch(() => ({}));

let showWaiting = (_reason) => {};
// Sets the function that shows why requests wait; called with an empty text when they continue.
export const onWaiting = (show) => { showWaiting = show; };

const STARTING = t("The server is starting, which takes a few seconds.");
const UNREACHABLE = t("The server can't be reached. You can play without it.");

// The reason why requests must wait; null if there is none.
async function reasonToWait() {
  try {
    const { status } = await fetch("readyz", { signal: AbortSignal.timeout(PATIENCE * 1000) });
    return status === 503 ? STARTING : null;
  } catch {
    return UNREACHABLE;
  }
}

async function untilReady() {
  const end = performance.now() + MAX_START * 1000;
  for (let pause = POLL; ; pause = Math.min(pause * 1.5, MAX_POLL)) {
    const probe = reasonToWait();
    probed ??= probe;
    reason = await probe;
    showWaiting(reason ?? "");
    isReady = !reason;
    if (isReady || (reason === STARTING && performance.now() > end)) break;
    await Promise.race([sleep(reason === STARTING ? POLL : pause), isBack()]);
  }
  isReady = true;
  showWaiting("");
}

// Ends when the device is connected again.
const isBack = () => new Promise((resolve) => { window.addEventListener("online", resolve, { once: true }); });

// While the server starts, requests would wait until they fail. So none is sent before it is ready.
// If it is away, they fail at once, and the page goes on asking whether it is back.
let ready = null;
let probed = null;
let isReady = false;
let reason = null;

// Whether the server, or the solver in its place, is there, as far as the page knows.
export async function isServerReady() {
  if (IS_SITE) return isSolverReady();
  ready ??= untilReady();
  await probed;
  return isReady;
}

// Sends a request, and retries if the server says so in Retry-After.
export async function send(path, options = {}) {
  if (IS_ALONE) throw new Problem(501, { detail: ALONE });
  if (HAS_SOLVER) return solved(path, options);
  await isServerReady();
  if (reason === UNREACHABLE) throw new Problem(0, { detail: t("The server can't be reached.") });
  await ready;
  for (let left = MAX_RETRIES; ; left -= 1) {
    const key = currentKey();
    const headers = { ...options.headers, ...(key ? { "X-API-Key": key } : {}) };
    let response;
    try {
      response = await fetch(path, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, { detail: t("The server can't be reached.") });
    }
    if (response.ok) return response;
    if (response.status === 401 && left) {
      if (!await otherKeyThan(key)) throw new Problem(401, await bodyOf(response));
      continue;
    }
    const wait = Number(response.headers.get("Retry-After"));
    if (response.status !== 503 || !left || !(wait <= MAX_RETRY_AFTER)) {
      throw new Problem(response.status, await bodyOf(response));
    }
    await sleep(wait);
  }
}

async function solved(path, options) {
  await loadSolver().catch(() => { throw new Problem(0, { detail: t("The server can't be reached.") }); });
  const response = await respond(path, options).catch((error) => { throw new Problem(500, { detail: error.message }); });
  options.signal?.throwIfAborted();
  if (!response.ok) throw new Problem(response.status, await bodyOf(response));
  return response;
}

const asJson = (body, signal) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

// These parts are loaded when they are needed: the page's own answers, and its own formats.
const answer = async (word, body) => (await import("./offline.js")).answer(word, body);
const withoutServer = async (act) => !(await isServerReady()) && act(await import("./formats.js"));

// What the page knows by itself is not waited for, if the server is away, starting, busy or slow.
export async function post(word, body, signal) {
  const isThere = await isServerReady();
  const own = isThere ? null : await answer(word, body);
  return own ?? withFallback(signal, () => answer(word, body), async (both) =>
    (await send(`v1/${word}`, asJson(body, both))).json());
}

// The answer of the server. If that fails for a time or takes long, the page's own answer, if there is one.
// Then the request is given up. `ask(signal)` sends it.
export async function withFallback(signal, own, ask) {
  const giveUp = new AbortController();
  const asked = ask(signal ? AbortSignal.any([signal, giveUp.signal]) : giveUp.signal);
  let isOver = false;
  const late = sleep(PATIENCE).then(() => (isOver || signal?.aborted ? null : own()));
  try {
    return await Promise.race([asked, late.then((found) => found ?? asked)]);
  } catch (error) {
    const found = isTemporary(error) && await own();
    if (found) return found;
    throw error;
  } finally {
    isOver = true;
    giveUp.abort();
  }
}

// Requests a file. Returns its content and the name suggested by the server.
export async function postForFile(word, body) {
  const own = word === "convert" && await withoutServer(({ written }) => written(body.puzzle, body.to));
  if (own) return { name: `puzzle.${body.to}`, blob: new Blob([own]) };
  const response = await send(`v1/${word}`, asJson(body));
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { name: name ?? word, blob: await response.blob() };
}

// Converts text in any format to puzzle records. The page reads simple ones by itself while the server is away.
export async function read(text, rules) {
  const own = await withoutServer(({ readPuzzles }) => readPuzzles(text, rules));
  if (own) return own;
  const body = { puzzles: text, to: "ndjson", ...(rules ? { rules } : {}) };
  return records((await send("v1/convert", asJson(body))));
}

export async function readFile(file, rules) {
  const own = file.size <= MAX_OWN && await withoutServer(async ({ readPuzzles }) => readPuzzles(await file.text(), rules));
  if (own) return own;
  const query = new URLSearchParams({ to: "ndjson", ...(rules ? { rules } : {}) });
  return records(await send(`v1/convert?${query}`, await upload(file)));
}

async function records(response) {
  const text = await response.text();
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// The request options for sending a file. Files with a gzip header are sent as gzip.
export async function upload(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  return {
    method: "POST",
    headers: { "Content-Type": "text/plain", ...(isGzip ? { "Content-Encoding": "gzip" } : {}) },
    body: file,
  };
}

async function* split(response, separator) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split(separator);
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

// Reads server-sent events with fetch, because an EventSource can't send a key.
export async function* events(path, signal) {
  for await (const block of split(await send(path, { signal }), "\n\n")) {
    const own = block.split("\n").filter((line) => !line.startsWith(":"));
    const value = (name) => own.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (value("data")) yield { name: value("event"), data: JSON.parse(value("data")) };
  }
}

// The analysis of the editor, step by step: is there one solution, and how many are there, up to growing limits, or
// how hard is it? Without the server, what the page knows.
export async function* analysisOf(puzzle, limit, signal) {
  const checked = await post("check", { puzzle }, signal);
  const isOwn = checked.count === undefined;
  yield { name: "check", data: isOwn ? { ...checked, ...OWN_COUNTS[checked.verdict] } : checked };
  if (isOwn) yield { name: "grade", data: (await answer("grade", { puzzle })) ?? {} };
  else if (checked.verdict === "unique") yield { name: "grade", data: await post("grade", { puzzle }, signal) };
  else if (checked.verdict === "multiple") yield* countsOf(puzzle, limit, signal);
  yield { name: "end", data: {} };
}

async function* countsOf(puzzle, limit, signal) {
  for (let [most, known, isMore] = [10, 0, true]; isMore; most *= 10) {
    const counted = await post("count", { puzzle, limit: Math.min(most, limit) }, signal);
    // A search that ran out of time may have counted less than the one before.
    if (counted.complete || counted.count > known) yield { name: "count", data: counted };
    known = counted.count;
    isMore = counted.stopped_by === "limit" && most < limit;
  }
}

const OWN_COUNTS = { none: { count: 0, complete: true }, unique: { count: 1, complete: true }, multiple: { count: 2, stopped_by: "limit" } };

export async function* lines(path, signal) {
  for await (const line of split(await send(path, { signal }), "\n")) {
    if (line) yield JSON.parse(line);
  }
}

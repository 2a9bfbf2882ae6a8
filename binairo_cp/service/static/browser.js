// What a server would answer, without one: the package runs in a worker of the browser. Its files are in a
// folder that the page names (`binairo page --solver`); without one, nothing is ever loaded.

const { solver: FOLDER, wheels } = document.documentElement.dataset;
export const HAS_SOLVER = Boolean(FOLDER);
const PATIENCE = 3000; // ms

/** @type {Worker} */
let worker;
let loading = null;
let isLoaded = false;
let last = 0;
const waiting = new Map();
export const isReady = () => isLoaded;

// Loads the package, once. It takes some seconds, so the page begins as soon as somebody plays.
export function load() {
  loading ??= begin().then(() => { isLoaded = true; }, (error) => {
    loading = null;
    worker.terminate();
    throw error;
  });
  return loading;
}

async function begin() {
  await kept();
  worker = new Worker(new URL("./solver.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data: { id, error, ...answer } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error));
    else resolve(answer);
  });
  // Its own file can't be loaded.
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  });
  return ask({ folder: new URL(FOLDER, document.baseURI).href, wheels: wheels.split(" ") });
}

// Waits for the service worker, which keeps what is loaded for later; some browsers allow none.
async function kept() {
  const keeper = navigator.serviceWorker;
  if (!keeper || keeper.controller) return;
  const isThere = new Promise((wake) => { keeper.addEventListener("controllerchange", wake, { once: true }); });
  await Promise.race([isThere, new Promise((wake) => { setTimeout(wake, PATIENCE); })]);
}

function ask(what) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, ...what });
  });
}

// The response to a request for a path such as v1/check, after `load`.
export async function respond(path, options) {
  const { pathname, searchParams } = new URL(path, document.baseURI);
  const [word, id, part] = pathname.split("/v1/").pop().split("/");
  if (word === "jobs") return jobs(id, part, Object.fromEntries(searchParams), options);
  return request(word, Object.fromEntries(searchParams), options.body);
}

async function request(word, query, body) {
  const isFile = typeof body !== "string";
  const puzzles = isFile ? new Uint8Array(await body.arrayBuffer()) : undefined;
  const { status, type, name, content } = await ask({ word, options: isFile ? JSON.stringify(query) : body, puzzles });
  return new Response(content, { status, headers: { "Content-Type": type, "Content-Disposition": `filename="${name}"` } });
}

// Jobs live as long as the page. Each decides its puzzles in blocks, between which other requests are answered.
const BLOCK = 8;
const SECOND = 1000;
const known = new Map();
let jobsBegun = 0;
const asJson = (value) => new Response(JSON.stringify(value));

async function jobs(id, part, query, { method, body }) {
  const job = known.get(id);
  if (method === "POST") return submit(query, body);
  if (!id) return asJson({ jobs: [...known.values()].map(({ state }) => state).reverse() });
  if (method === "DELETE") {
    if (query.keep === "true") job.state.state = "cancelled";
    else known.delete(id);
    return asJson({});
  }
  if (part === "results" && query.follow === "false") return new Response(job.lines.join(""));
  return new Response(followed(job, part === "results"));
}

async function submit({ kind, verb, ...rules }, file) {
  const read = await request("read", rules, file);
  if (!read.ok) return read;
  const records = linesOf(await read.text());
  const progress = { done: 0, total: records.length, records: 0, failed: 0, verdicts: {} };
  jobsBegun += 1;
  const state = { id: String(jobsBegun), kind, verb, state: "running", progress };
  const job = { state, lines: [] };
  known.set(state.id, job);
  run(job, records);
  return asJson(state);
}

const linesOf = (text) => text.split(/(?<=\n)/).filter(Boolean);
// Puzzles that can't be read come as results.
const isResult = (line) => "verdict" in JSON.parse(line);

async function run({ state, lines }, records) {
  const { progress } = state;
  for (let start = 0; start < records.length && state.state === "running"; start += BLOCK) {
    const block = records.slice(start, start + BLOCK);
    const puzzles = block.filter((line) => !isResult(line)).join("");
    const body = JSON.stringify({ puzzles, format: "ndjson" });
    const answers = puzzles ? linesOf(await (await request(state.verb, {}, body)).text()) : [];
    for (const record of block) {
      const line = isResult(record) ? record : answers.shift();
      lines.push(line);
      const { verdict, error } = JSON.parse(line);
      progress.verdicts[verdict] = (progress.verdicts[verdict] ?? 0) + 1;
      progress.failed += error ? 1 : 0;
    }
    progress.done = progress.records = lines.length;
  }
  if (state.state === "running") state.state = "done";
}

// The results of a job, or its states as events, until it ends.
function followed({ state, lines }, isResults) {
  const encoder = new TextEncoder();
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      let text;
      do {
        await new Promise((wake) => { setTimeout(wake, sent ? SECOND : 0); });
        text = isResults ? lines.slice(sent).join("") : `event: job\ndata: ${JSON.stringify(state)}\n\n`;
        sent = isResults ? lines.length : sent + 1;
      } while (!text && state.state === "running");
      if (text) controller.enqueue(encoder.encode(text));
      if (state.state !== "running") controller.close();
    },
  });
}

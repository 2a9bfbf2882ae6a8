// Batch jobs: submit files, follow the progress, show and download the results.

import { events, faultText, lines, send, upload } from "./api.js";
import { button, find, make, save, upper } from "./dom.js";
import { load, store } from "./storage.js";
import { Message } from "./message.js";
import { gradeText, LEVELS } from "./names.js";
import { Puzzle } from "./puzzle.js";
import { n, numberText, t } from "./texts.js";

const NAMES = "jobs";
const SHOWN = 100; // puzzles in the table
const REDRAW = 400; // ms
const MAX_NAMES = 200;

export class Batch {
  reading; shown;

  constructor(playPuzzle) {
    this.playPuzzle = playPuzzle;
    this.message = new Message(find("#batch-message"));
    this.watched = new Map();
    const file = find("#batch-file");
    find("#batch-form").addEventListener("submit", (event) => { event.preventDefault(); this.start(file.files[0]); });
    file.addEventListener("change", () => { find("#batch-name").textContent = file.files[0]?.name ?? ""; });
    const zone = find("#batch-zone");
    const isOver = (is) => () => zone.classList.toggle("over", is);
    zone.addEventListener("dragenter", isOver(true));
    zone.addEventListener("dragleave", isOver(false));
    document.addEventListener("drop", (event) => {
      isOver(false)();
      if (!find("#batch").hidden && event.dataTransfer.files[0]) this.start(event.dataTransfer.files[0]);
    });
  }

  start(file) {
    return this.message.run(find("#batch-start"), async () => {
      if (!file) {
        this.message.say(t("Choose a file first, or drop one here."), { kind: "bad" });
        return;
      }
      const rules = find("#batch-rules").value;
      const query = new URLSearchParams({ kind: "batch", verb: find("#batch-verb").value, ...(rules ? { rules } : {}) });
      this.message.say(t("Sending {file}…", { file: file.name }));
      const job = await (await send(`v1/jobs?${query}`, await upload(file))).json();
      remember(job.id, file.name);
      this.message.clear();
      find("#batch-form").reset();
      find("#batch-name").textContent = "";
      await this.list();
      this.show(job);
    });
  }

  // Lists all jobs and follows those that run.
  list() {
    return this.message.run(null, async () => {
      const { jobs } = await (await send("v1/jobs?limit=1000")).json();
      const rows = jobs.map((job) => this.update(make("div", { class: "job", id: `job-${job.id}` }), job));
      find("#jobs").replaceChildren(...(rows.length ? rows : [make("p", { class: "soft" }, t("No jobs yet."))]));
      for (const job of jobs) if (isActive(job)) this.watch(job);
    });
  }

  update(row, job) {
    const { done, total, records, failed } = job.progress;
    const shown = job.state === "done" ? 1 : total ? done / total : 0;
    const counts = Object.entries(job.progress.verdicts ?? {}).map(([verdict, number]) => `${numberText(number)} ${wordOf(verdict)}`);
    const title = [nameOf(job.id), find(`#batch-verb [value="${job.verb}"]`)?.textContent ?? job.kind].filter(Boolean).join(": ");
    const actions = isActive(job)
      ? [button(t("Cancel"), () => this.end(job))]
      : [button(t("Download"), (event) => this.download(event.target, job)), button(t("Remove"), () => this.end(job))];
    const failures = failed ? `, ${t("{number} failed", { number: numberText(failed) })}` : "";
    row.dataset.state = job.state;
    row.replaceChildren(
      make("h3", {}, title),
      make("p", { class: "state" }, `${upper(wordOf(job.state))} · ${n(records, "{number} puzzle", "{number} puzzles")}${failures}`),
      make("progress", { value: shown, max: 1, "aria-label": t("Progress of {title}", { title }) }),
      make("p", { class: "soft" }, job.error ? faultText({ ...job.error, message: job.error.message ?? job.error.detail }) : counts.join(", ")),
      make("div", { class: "buttons" }, button(t("Show"), () => this.show(job), { "aria-label": `${t("Show")} ${title}` }), ...actions));
    return row;
  }

  async watch(job) {
    if (this.watched.has(job.id)) return;
    const stop = new AbortController();
    this.watched.set(job.id, stop);
    await this.message.run(null, async () => {
      for await (const { data } of events(`v1/jobs/${job.id}/events`, stop.signal)) {
        const row = find(`#job-${job.id}`);
        if (row) this.update(row, data);
      }
    });
    this.watched.delete(job.id);
  }

  end(job) {
    return this.message.run(null, async () => {
      this.watched.get(job.id)?.abort();
      this.watched.delete(job.id);
      await send(`v1/jobs/${job.id}?keep=${isActive(job)}`, { method: "DELETE" });
      if (!isActive(job) && this.shown === job.id) this.hide();
      await this.list();
    });
  }

  download(starter, job) {
    return this.message.run(starter, async () => {
      const response = await send(`v1/jobs/${job.id}/results?follow=false`);
      const stem = (nameOf(job.id) ?? job.id).replace(/\.[^.]*$/, "");
      save({ blob: await response.blob(), name: `${stem}-${job.verb ?? job.kind}.ndjson` });
    });
  }

  hide() {
    this.reading?.abort();
    this.shown = null;
    find("#results").hidden = true;
  }

  // Shows the results of a job while they arrive, with the number of each grade.
  async show(job) {
    this.hide();
    const stop = new AbortController();
    Object.assign(this, { reading: stop, shown: job.id });
    find("#results").hidden = false;
    find("#results-title").textContent = nameOf(job.id) ?? t("Results");
    // What is left from another job must not stand below this title.
    find("#results-rows").replaceChildren();
    const sums = { levels: new Map(), first: [], records: 0 };
    this.picture(sums);
    let drawn = 0;
    const draw = (isLast) => {
      if (!isLast && performance.now() - drawn < REDRAW) return;
      this.picture(sums);
      drawn = performance.now();
    };
    await this.message.run(null, async () => {
      for await (const record of lines(`v1/jobs/${job.id}/results`, stop.signal)) {
        addRecord(sums, record);
        draw(false);
      }
    });
    if (this.shown === job.id) draw(true);
  }

  picture({ levels, first, records }) {
    const grades = LEVELS.filter((level) => levels.has(level)).map((level) => `${upper(t(level))} ${numberText(levels.get(level))}`);
    find("#results-sum").textContent = [n(records, "{number} result", "{number} results"), ...grades].join(" · ");
    const rows = find("#results-rows");
    for (const record of first.slice(rows.children.length)) rows.append(this.result(record));
    find("#results-note").textContent = records > SHOWN ? t("Only the first {number} are shown. The download contains all results.", { number: SHOWN }) : "";
  }

  result(record) {
    const isPuzzle = Boolean(record.clues);
    const size = isPuzzle ? `${record.height}×${record.width}` : "";
    const open = isPuzzle && button(t("Play"), () => this.playPuzzle(new Puzzle(record)), { "aria-label": `${t("Play")} ${record.id}` });
    const what = record.error ? faultText(record.error) : upper(summary(record));
    const cells = [record.id, size, upper(wordOf(record.verdict)), what].map((text) => make("td", {}, text));
    return make("tr", {}, ...cells, make("td", {}, open));
  }
}

// Words of the server: states of jobs, and verdicts.
const WORDS = {
  queued: t("queued"), running: t("running"), done: t("done"), failed: t("failed"), cancelled: t("cancelled"),
  unique: t("unique"), multiple: t("multiple"), none: t("none"), unknown: t("unknown"), invalid: t("invalid"),
};
const wordOf = (word) => WORDS[word] ?? word;

const isActive = (job) => job.state === "queued" || job.state === "running";

function addRecord(sums, record) {
  sums.records += 1;
  if (sums.first.length < SHOWN) sums.first.push(record);
  const { level } = record.grade ?? {};
  if (level) sums.levels.set(level, (sums.levels.get(level) ?? 0) + 1);
}

function summary(record) {
  if (record.grade) return gradeText(record.grade);
  if (record.fewest) return t("{number} clues are enough", { number: record.fewest.at_most });
  if (record.needs) return t("{number} redundant clues", { number: record.needs.spare.length });
  if (record.repair) return t("{number} changes", { number: record.repair.added.length + record.repair.dropped.length });
  return record.count == null ? "" : n(record.count, "{number} solution found", "{number} solutions found");
}

// The names of submitted files are stored only in the browser.
const names = () => load(NAMES) ?? {};

const nameOf = (id) => names()[id];

function remember(id, name) {
  const kept = Object.entries({ ...names(), [id]: name }).slice(-MAX_NAMES);
  store(NAMES, Object.fromEntries(kept));
}

// A worker in which the package itself runs, as WebAssembly. The page sends where its files are, then requests.
// The answers are those of a server's routes.

/** @type {any} */
let python;
let respond;

async function start({ folder, wheels }) {
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  python = await loadPyodide({ indexURL: folder });
  const parts = await Promise.all(wheels.map(async (name) => (await fetch(folder + name)).arrayBuffer()));
  for (const part of parts) python.unpackArchive(part, "zip", { extractDir: "/packages" });
  python.runPython("import sys; sys.path.insert(0, '/packages')");
  respond = python.pyimport("binairo_cp.service.in_browser").respond;
}

function answer({ word, options, puzzles }) {
  const response = respond(word, options, puzzles && python.toPy(puzzles));
  const [status, type, name, content] = response.toJs();
  response.destroy();
  return { status, type, name, content };
}

let started = null;
self.addEventListener("message", async ({ data: { id, ...request } }) => {
  try {
    if (request.folder) await (started = start(request));
    await started;
    self.postMessage({ id, ...(request.word ? answer(request) : {}) });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
});

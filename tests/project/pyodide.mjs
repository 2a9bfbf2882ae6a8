// Under node: unpack wheels into Pyodide, run a Python program there, and print what it returns.
// node pyodide.mjs FOLDER_OF_NODE_MODULES FOLDER_OF_WHEELS PROGRAM INPUT
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, wheels, program, input] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${modules}/pyodide/pyodide.mjs`));
const python = await loadPyodide();
for (const name of readdirSync(wheels)) {
    const wheel = new Uint8Array(readFileSync(`${wheels}/${name}`));
    python.unpackArchive(wheel, "wheel", { extractDir: "/packages" });
}
python.globals.set("text", readFileSync(input, "utf8"));
console.log(python.runPython(readFileSync(program, "utf8")));

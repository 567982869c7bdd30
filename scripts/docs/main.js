// Writes what is generated in docs/: the API reference, from docstrings, the shapes, from schemas, and the reference of the command line, from its
// help. `npm run docs -- --check` writes nothing, and ends with 1 where the committed documents are not current.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { built } from "../built.js";
import { withCommandReference } from "./command-reference.js";
import { shapesPage } from "./shapes-page.js";

const { createProgram } = /** @type {typeof import("../../src/cli/program.js")} */ (
  await built("cli/program.js")
);

const root = fileURLToPath(new URL("../../", import.meta.url));
const apiFolder = join(root, "docs", "api");
const commandLine = join(root, "docs", "command-line.md");

/** Files of a folder with their texts, by their paths in it; none where there is no folder. */
async function textsOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const texts = new Map();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    texts.set(path.slice(folder.length + 1), await readFile(path, "utf8"));
  }
  return texts;
}

async function writeApi(out) {
  const app = await Application.bootstrapWithPlugins({ options: join(root, "typedoc.json"), out });
  const project = await app.convert();
  if (project === undefined) throw new Error("typedoc found no entry points");
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("typedoc failed");
}

/** Runs work on a reference written to a folder of its own: an interrupted run leaves the committed one whole. */
async function withFreshApi(work) {
  const folder = await mkdtemp(join(tmpdir(), "mirrorlake-api-"));
  try {
    await writeApi(folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const staleApi = () =>
  withFreshApi(async (folder) => {
    const [fresh, committed] = [await textsOf(folder), await textsOf(apiFolder)];
    return [...new Set([...fresh.keys(), ...committed.keys()])]
      .filter((path) => fresh.get(path) !== committed.get(path))
      .map((path) => join("docs", "api", path));
  });

const text = await readFile(commandLine, "utf8");
const current = await withCommandReference(text, createProgram);
const shapesFile = join(root, "docs", "shapes.md");
const shapes = shapesPage(
  /** @type {typeof import("../../src/ingest/explain-shape.js")} */ (await built("ingest/explain-shape.js")),
);
if (process.argv.includes("--check")) {
  const shapesNow = await readFile(shapesFile, "utf8").catch(() => "");
  const stale = [
    ...(text === current ? [] : ["docs/command-line.md"]),
    ...(shapesNow === shapes ? [] : ["docs/shapes.md"]),
    ...(await staleApi()),
  ];
  if (stale.length > 0) {
    console.error(`Not current: ${stale.join(", ")}. Run: npm run docs`);
    process.exitCode = 1;
  }
} else {
  await writeFile(commandLine, current);
  await writeFile(shapesFile, shapes);
  await withFreshApi(async (folder) => {
    await rm(apiFolder, { recursive: true, force: true });
    await cp(folder, apiFolder, { recursive: true });
  });
}

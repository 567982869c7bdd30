// What the built package was made of, so that a build makes nothing twice: a digest of all that a build reads, and of what each step
// wrote. It lies in node_modules, which `npm ci` empties: other versions of the tools give another package.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILD = join(ROOT, "build");
const DIST = join(ROOT, "dist");
const STATE = join(ROOT, "node_modules/.mirrorlake-build.json");
/** What a build reads: files and folders. */
const INPUTS = [
  "src",
  "scripts/build.js",
  "scripts/build-console.js",
  "scripts/build-state.js",
  "scripts/bundle-package.js",
  "scripts/compiler-heap.js",
  "scripts/copy-docs-ui.js",
  "scripts/declarations",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/**
 * @typedef {"modules" | "declarations" | "console"} Step
 * @typedef {{ readonly inputs: string, readonly outputs: string }} Made
 */

/** Digest of all that a build reads. */
export function inputsDigest() {
  return filesDigest(INPUTS, process.version);
}

/**
 * Digest of files of the project, and of all in folders of it.
 * @param {readonly string[]} names
 */
export function filesDigest(names, more = "") {
  return digest(
    ROOT,
    names.flatMap((name) => filesIn(join(ROOT, name))),
    more,
  );
}

/**
 * Whether what the step wrote from these inputs is there, unchanged.
 * @param {Step} step
 * @param {string} inputs
 */
export function isCurrent(step, inputs) {
  const made = state()[step];
  return made?.inputs === inputs && made.outputs === outputsDigest(step);
}

/**
 * Remembers that the step has been run on these inputs.
 * @param {Step} step
 * @param {string} inputs
 */
export function remember(step, inputs) {
  mkdirSync(dirname(STATE), { recursive: true });
  writeFileSync(STATE, JSON.stringify({ ...state(), [step]: { inputs, outputs: outputsDigest(step) } }));
}

/**
 * Removes what the step wrote.
 * @param {Step} step
 */
export function removeOutputs(step) {
  for (const file of outputsOf(step)) rmSync(file);
}

/** @param {string} path in dist/ @returns {Step} */
function stepOf(path) {
  if (/\.d\.c?ts$/.test(path)) return "declarations";
  return path.startsWith(join("console", "app")) ? "console" : "modules";
}

/** @param {Step} step */
function outputsOf(step) {
  const files = filesIn(DIST).filter((file) => stepOf(relative(DIST, file)) === step);
  return step === "modules" ? [...filesIn(BUILD), ...files] : files;
}

/** @param {Step} step */
function outputsDigest(step) {
  return digest(ROOT, outputsOf(step));
}

/** @returns {Partial<Record<Step, Made>>} */
function state() {
  return existsSync(STATE) ? JSON.parse(readFileSync(STATE, "utf8")) : {};
}

/** @param {string} path a folder, or a file @returns {string[]} */
function filesIn(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} root @param {readonly string[]} files @param {string} more */
function digest(root, files, more = "") {
  const hash = createHash("sha256").update(more);
  for (const file of files.toSorted()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

// Builds the package: the modules (build/), the files that the package has of them (dist/), the declarations, and the console's browser
// app. Modules, declarations and app are made at once; what is there and was made of the same sources is kept. With --unchecked the types of src/ are
// not checked, as `npm run task types` does it too; with --modules there are no declarations.
import { spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inputsDigest, isCurrent, remember, removeOutputs } from "./build-state.js";
import { COMPILER_HEAP } from "./compiler-heap.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const UNCHECKED = process.argv.includes("--unchecked");

/** Runs programs of node one after the other. @param {readonly (readonly string[])[]} programs */
async function inTurn(programs) {
  for (const args of programs) {
    const code = await new Promise((resolve, reject) => {
      spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" })
        .once("error", reject)
        .once("close", resolve);
    });
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
  }
}

const MODULES = [
  [
    "node_modules/typescript/bin/tsc",
    "-p",
    "tsconfig.build.json",
    "--noCheck",
    "--declaration",
    "false",
    "--removeComments",
  ],
  ["scripts/bundle-package.js"],
  ["scripts/copy-docs-ui.js"],
];
const DECLARATIONS = [
  [...COMPILER_HEAP, "scripts/declarations/main.js", ...(UNCHECKED ? ["--unchecked"] : [])],
];
const CONSOLE = [["scripts/build-console.js"]];

const inputs = inputsDigest();

/**
 * Runs a step, unless it has been run on what there is.
 * @param {import("./build-state.js").Step} step
 * @param {readonly (readonly string[])[]} programs
 */
async function make(step, programs) {
  if (isCurrent(step, inputs)) return;
  removeOutputs(step);
  await inTurn(programs);
  // npm makes it so where it installs the package; `npx mirrorlake` in a checkout runs this file itself.
  if (step === "modules") chmodSync(new URL("../dist/cli/main.js", import.meta.url), 0o755);
  remember(step, inputs);
}

/** Checked declarations do for a build that does not check; not the other way round. */
async function makeDeclarations() {
  const checked = `${inputs} checked`;
  if (isCurrent("declarations", checked)) return;
  if (process.argv.includes("--modules")) {
    if (!isCurrent("declarations", inputs)) removeOutputs("declarations");
    return;
  }
  if (UNCHECKED && isCurrent("declarations", inputs)) return;
  removeOutputs("declarations");
  await inTurn(DECLARATIONS);
  remember("declarations", UNCHECKED ? inputs : checked);
}

const results = await Promise.allSettled([
  make("modules", MODULES),
  makeDeclarations(),
  make("console", CONSOLE),
]);
for (const result of results) {
  if (result.status === "fulfilled") continue;
  console.error(result.reason.message);
  process.exitCode = 1;
}

// Packs the package, installs it in a project of its own, and runs a program in Node.js, Deno and Bun: each has to find the same.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packed } from "../packed.js";

const run = promisify(execFile);
const quiet = ["--no-audit", "--no-fund"];
const here = fileURLToPath(new URL(".", import.meta.url));
await run("npm", ["install", ...quiet], { cwd: here });
const installed = (name) => join(here, "node_modules/.bin", name);

/** How each runs a file. Node.js comes first: the others are compared with it. */
const RUNTIMES = {
  node: [process.execPath],
  deno: [installed("deno"), "run", "--no-prompt", "--allow-all"],
  bun: [installed("bun"), "run"],
};

const root = await mkdtemp(join(tmpdir(), "mirrorlake-runtimes-"));
try {
  await writeFile(join(root, "package.json"), '{"name":"app","private":true,"type":"module"}');
  await run("npm", ["install", ...quiet, await packed()], { cwd: root });
  await copyFile(new URL("./program.js", import.meta.url), join(root, "program.js"));
  let expected;
  for (const [name, [command, ...args]] of Object.entries(RUNTIMES)) {
    const dir = join(root, name);
    await mkdir(dir);
    const { stdout } = await run(command, [...args, "program.js", dir], { cwd: root });
    expected ??= stdout;
    if (stdout !== expected) throw new Error(`${name} found ${stdout}, not ${expected}`);
    console.log(`${name}: ${stdout.trim()}`);
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

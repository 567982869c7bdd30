// Packs the package, installs it in a project of its own, and runs a program in Node.js, Deno and Bun, and under Yarn's Plug'n'Play: each
// has to find the same.
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
const yarn = [process.execPath, join(here, "node_modules/@yarnpkg/cli-dist/bin/yarn.js")];

/** How each runs a file. Node.js comes first: the others are compared with it. */
const RUNTIMES = {
  node: [process.execPath],
  deno: [installed("deno"), "run", "--no-prompt", "--allow-all"],
  bun: [installed("bun"), "run"],
  "plug-and-play": [...yarn, "node"],
};

/** Settings of Yarn: its own way of packages, from the registry that npm has. */
async function yarnSettings() {
  const registry = (await run("npm", ["config", "get", "registry"], { cwd: here })).stdout.trim();
  return {
    ...process.env,
    YARN_NODE_LINKER: "pnp",
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    YARN_ENABLE_TELEMETRY: "false",
  };
}

const root = await mkdtemp(join(tmpdir(), "mirrorlake-runtimes-"));
try {
  const project = { name: "app", private: true, type: "module" };
  const archive = await packed();
  const env = await yarnSettings();
  for (const name of ["npm", "yarn"]) {
    const folder = join(root, name);
    await mkdir(folder);
    const dependencies = name === "npm" ? {} : { mirrorlake: `file:${archive}` };
    await writeFile(join(folder, "package.json"), JSON.stringify({ ...project, dependencies }));
    await copyFile(new URL("./program.js", import.meta.url), join(folder, "program.js"));
  }
  await run("npm", ["install", ...quiet, archive], { cwd: join(root, "npm") });
  const [node, ...install] = [...yarn, "install"];
  await run(node, install, { cwd: join(root, "yarn"), env });
  let expected;
  for (const [name, [command, ...args]] of Object.entries(RUNTIMES)) {
    const cwd = join(root, name === "plug-and-play" ? "yarn" : "npm");
    const dir = join(root, name);
    await mkdir(dir);
    const { stdout } = await run(command, [...args, "program.js", dir], { cwd, env });
    expected ??= stdout;
    if (stdout !== expected) throw new Error(`${name} found ${stdout}, not ${expected}`);
    console.log(`${name}: ${stdout.trim()}`);
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

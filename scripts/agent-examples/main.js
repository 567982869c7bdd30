// Packs the package, installs it in each project of fixtures/examples, and runs their checks over one small lake: of types, and of
// what happens. A name runs one of them.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLake } from "mirrorlake";
import { packed } from "../packed.js";

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = join(PACKAGE, "fixtures", "examples");
const only = process.argv[2];
/** What a program in TypeScript writes, of an example that has it. */
const TYPES = "agent-types.ts";

/** Compiles programs of an example, each as the module that its ending says. @param {string} cwd @param {readonly string[]} files */
async function checkTypes(cwd, files) {
  const compiler = join(PACKAGE, "node_modules", "typescript", "bin", "tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "nodenext"];
  const nodeTypes = ["--typeRoots", join(PACKAGE, "node_modules", "@types"), "--types", "node"];
  await run(process.execPath, [compiler, ...options, ...nodeTypes, ...files], { cwd }).catch((error) => {
    console.error(error.stdout, error.stderr);
    throw new Error(`the types of ${files.join(" or ")} in ${cwd} do not fit`);
  });
}

/** Leaves of a project what is installed in it: most of it the next one needs, too. @param {string} cwd */
async function emptyButModules(cwd) {
  await mkdir(cwd, { recursive: true });
  for (const name of await readdir(cwd))
    if (name !== "node_modules") await rm(join(cwd, name), { recursive: true });
}

const root = await mkdtemp(join(tmpdir(), "mirrorlake-examples-"));
try {
  const lake = join(root, "lake");
  await createLake(
    lake,
    Array.from({ length: 60 }, (_, i) => ({
      id: `soc_frm_${i}`,
      platform: "forum",
      lang: "en",
      text: `Post ${i}: these boots are made for walking.`,
    })),
  );
  const archive = await packed();
  const cwd = join(root, "project");
  for (const name of (await readdir(EXAMPLES)).sort()) {
    if ((only !== undefined && name !== only) || !existsSync(join(EXAMPLES, name, "check.js"))) continue;
    const started = performance.now();
    await emptyButModules(cwd);
    await cp(join(EXAMPLES, name), cwd, { recursive: true });
    // What the example before needed and this one does not name is removed: it could not be imported.
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
    await run("npm", ["install", ...quiet, archive], { cwd });
    if (existsSync(join(cwd, TYPES))) {
      await cp(join(cwd, TYPES), join(cwd, "agent-types.cts"));
      await checkTypes(cwd, [TYPES, "agent-types.cts"]);
    }
    const env = { ...process.env, MIRRORLAKE_LAKE: lake };
    const { stdout } = await run("npm", ["test", "--silent"], { cwd, env }).catch((error) => {
      console.error(error.stdout, error.stderr);
      throw new Error(`the example ${name} failed`);
    });
    const passed = /^# pass (\d+)$/m.exec(stdout)?.[1];
    console.log(`${name}: ${passed} checks passed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

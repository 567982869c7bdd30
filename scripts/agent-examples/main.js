// Packs the package, installs it in each project of fixtures/examples, and runs their checks over one small lake: of types, and of
// what happens. A name runs one of them.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLake } from "mirrorlake";

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = join(PACKAGE, "fixtures", "examples");
const only = process.argv[2];
/** What a program in TypeScript writes, of an example that has it. */
const TYPES = "agent-types.ts";

/** Compiles a program of an example, as the module that its ending says. @param {string} cwd @param {string} file */
async function checkTypes(cwd, file) {
  const compiler = join(PACKAGE, "node_modules", "typescript", "bin", "tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "nodenext"];
  const nodeTypes = ["--typeRoots", join(PACKAGE, "node_modules", "@types"), "--types", "node"];
  await run(process.execPath, [compiler, ...options, ...nodeTypes, file], { cwd }).catch((error) => {
    console.error(error.stdout, error.stderr);
    throw new Error(`the types of ${file} in ${cwd} do not fit`);
  });
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
  const packed = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", root], {
    cwd: PACKAGE,
  });
  const [{ filename }] = JSON.parse(packed.stdout);
  for (const name of (await readdir(EXAMPLES)).sort()) {
    if ((only !== undefined && name !== only) || !existsSync(join(EXAMPLES, name, "check.js"))) continue;
    const started = performance.now();
    const cwd = join(root, name);
    await cp(join(EXAMPLES, name), cwd, { recursive: true });
    await run(
      "npm",
      ["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", `../${filename}`],
      {
        cwd,
      },
    );
    if (existsSync(join(cwd, TYPES))) {
      await cp(join(cwd, TYPES), join(cwd, "agent-types.cts"));
      for (const file of [TYPES, "agent-types.cts"]) await checkTypes(cwd, file);
    }
    const env = { ...process.env, MIRRORLAKE_LAKE: lake };
    const { stdout } = await run("npm", ["test", "--silent"], { cwd, env }).catch((error) => {
      console.error(error.stdout, error.stderr);
      throw new Error(`the example ${name} failed`);
    });
    const passed = /^# pass (\d+)$/m.exec(stdout)?.[1];
    console.log(`${name}: ${passed} checks passed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await rm(cwd, { recursive: true });
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

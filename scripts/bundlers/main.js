// Packs the package, installs it in a project of its own, bundles a program with each bundler and runs it on 20,000 records.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packed } from "../packed.js";

const run = promisify(execFile);
const EXPECTED = "web_gnw_12345";
const only = process.argv[2];

const quiet = ["--no-audit", "--no-fund"];
await run("npm", ["install", ...quiet, "--ignore-scripts"], {
  cwd: fileURLToPath(new URL(".", import.meta.url)),
});
const { BUILDS } = await import("./builds.js");

const root = await mkdtemp(join(tmpdir(), "mirrorlake-bundlers-"));
try {
  await mkdir(join(root, "src"));
  await writeFile(join(root, "package.json"), '{"name":"app","private":true,"type":"module"}');
  await run("npm", ["install", ...quiet, await packed()], { cwd: root });
  const program = join(root, "src", "program.js");
  await copyFile(new URL("./program.js", import.meta.url), program);
  for (const [name, build] of Object.entries(BUILDS)) {
    if (only !== undefined && !name.startsWith(only)) continue;
    const out = join(root, "out", name.replaceAll(/\W+/g, "-"));
    const file = await build({ program, out, root });
    const started = performance.now();
    const { stdout } = await run(process.execPath, [file, join(root, "data")], { cwd: out });
    const found = JSON.parse(stdout);
    if (found[0] !== EXPECTED) throw new Error(`${name}: found ${stdout.trim()}, not ${EXPECTED}`);
    console.log(
      `${name}: 20,000 records installed and searched in ${Math.round(performance.now() - started)} ms`,
    );
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

/**
 * Tries the packed package as a stranger has it: packs it, installs it in a fresh project with TypeScript, of three versions, and nothing else, makes the demo's
 * lake there, and runs the tries of `project/` under `node --test`. `npm run task try-package -- --help`.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { packed } from "../packed.js";

const HELP = `usage: npm run task try-package -- [--tarball FILE] [--keep]

  --tarball FILE  tries this package instead of one of this checkout
  --keep          leaves the project where it is, and says where
`;
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const PROJECT = fileURLToPath(new URL("project", import.meta.url));
const DEVELOPING = ["typescript", "@types/node"];
/** The oldest TypeScript that reads the declarations, as README.md says, and one that is not written in JavaScript. */
const OTHER_TYPESCRIPTS = [
  "oldest-typescript@npm:typescript@~5.7.0",
  "native-typescript@npm:typescript@7.0.2",
];

const { values } = parseArgs({
  options: {
    tarball: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await main();

async function main() {
  const run = promisify(execFile);
  const root = await mkdtemp(join(tmpdir(), "mirrorlake-try-"));
  try {
    const project = join(root, "project");
    await cp(PROJECT, project, { recursive: true });
    const tarball = values.tarball ?? (await packed());
    const { devDependencies } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
    await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
    const developing = DEVELOPING.map((name) => `${name}@${devDependencies[name]}`);
    const wanted = [tarball, ...developing, ...OTHER_TYPESCRIPTS];
    await run("npm", ["install", "--no-audit", "--no-fund", ...wanted], { cwd: project });
    await run("npx", ["mirrorlake", "demo"], { cwd: project });
    const tries = spawn(process.execPath, ["--test", "--test-reporter=spec", "--test-force-exit"], {
      cwd: project,
      stdio: "inherit",
    });
    const [code] = await once(tries, "exit");
    if (code !== 0) process.exitCode = 1;
    if (values.keep) console.log(project);
  } finally {
    if (!values.keep) await rm(root, { recursive: true, force: true });
  }
}

// Runs the official conformance package, pinned, on the server of the Model Context Protocol: every scenario that a version of the
// specification requires, on the product's own server where it can pass there, else on a server of fixtures over the same endpoint.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startConformanceServer } from "./server.js";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL(".", import.meta.url));
const PACKAGE = join(HERE, "node_modules", "@modelcontextprotocol", "conformance");

const ASKS = "the server asks its clients for nothing: no input, sampling or roots";
const NO_SUBSCRIPTIONS =
  "the server offers no subscriptions: a client reads a resource again when its time is over";
/** Scenarios that do not apply, and why. @type {Readonly<Record<string, string>>} */
const NOT_APPLICABLE = {
  "tools-call-sampling": ASKS,
  "tools-call-elicitation": ASKS,
  "elicitation-sep1034-defaults": ASKS,
  "elicitation-sep1330-enums": ASKS,
  "resources-subscribe": NO_SUBSCRIPTIONS,
  "resources-unsubscribe": NO_SUBSCRIPTIONS,
  "input-required-result-basic-elicitation": ASKS,
  "input-required-result-basic-sampling": ASKS,
  "input-required-result-basic-list-roots": ASKS,
  "input-required-result-request-state": ASKS,
  "input-required-result-multiple-input-requests": ASKS,
  "input-required-result-multi-round": ASKS,
  "input-required-result-non-tool-request": ASKS,
  "input-required-result-result-type": ASKS,
  "input-required-result-tampered-state": ASKS,
  "input-required-result-capability-check": ASKS,
};

await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: HERE });
/** The package needs Node 22. */
const node =
  Number(process.versions.node.split(".")[0]) >= 22
    ? process.execPath
    : join(HERE, "node_modules", "node", "bin", "node");

/**
 * The outcome of each scenario that a version requires: how many checks passed and failed.
 * @param {string} version
 * @param {string} url
 */
async function outcomes(version, url) {
  const args = [join(PACKAGE, "dist", "index.js"), "server", "--url", url, "--requirements", version];
  const { stdout } = await run(node, args, { maxBuffer: 2 ** 26 }).catch((failed) => failed);
  const lines = [...stdout.matchAll(/^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$/gm)];
  if (lines.length === 0) throw new Error(`the package says nothing of ${version}: ${stdout}`);
  return new Map(
    lines.map(([, name, passed, failed]) => [name, { passed: Number(passed), failed: Number(failed) }]),
  );
}

const server = await startConformanceServer();
let wrong = 0;
try {
  for (const version of ["2025-11-25", "2026-07-28"]) {
    const text = await readFile(join(PACKAGE, "requirements", `${version}.yaml`), "utf8");
    const [, list = ""] = /^server:\n((?: +- .*\n)+)/m.exec(text) ?? [];
    const required = [...list.matchAll(/- ([a-z0-9-]+)/g)].map(([, name]) => String(name));
    const [own, fixtures] = [await outcomes(version, server.url), await outcomes(version, server.fixtures)];
    const count = { own: 0, fixtures: 0, "not applicable": 0 };
    for (const name of required) {
      const passes = (/** @type {typeof own} */ of) => of.get(name)?.failed === 0;
      const where = passes(own) ? "own" : passes(fixtures) ? "fixtures" : undefined;
      if (where !== undefined) count[where]++;
      else if (name in NOT_APPLICABLE) {
        count["not applicable"]++;
        console.log(`${version} ${name}: does not apply, ${NOT_APPLICABLE[name]}`);
      } else {
        wrong++;
        console.error(`${version} ${name} fails`);
      }
    }
    console.log(
      `${version}: of ${required.length} required scenarios ${count.own} pass on the server itself, ${count.fixtures} with fixtures, ${count["not applicable"]} do not apply`,
    );
  }
} finally {
  await server.close();
}
if (wrong > 0) process.exitCode = 1;

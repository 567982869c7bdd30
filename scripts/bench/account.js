/** Times the account: opening one with a long ledger, and one charge, relaxed and strict. `node scripts/bench/account.js --help`. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const HELP = `usage: node scripts/bench/account.js [--dist DIR] [--entries N] [--charges N] [--folder DIR]

  --dist DIR     compiled modules that are measured, of this release or an earlier one (default: build)
  --entries N    ledger entries of the account that is opened (default 10000)
  --charges N    charges that are timed one after another (default 2000)
  --folder DIR   disk that the accounts are on (default: the system's temporary folder)
`;

const { values } = parseArgs({
  options: {
    dist: { type: "string", default: "build" },
    entries: { type: "string", default: "10000" },
    charges: { type: "string", default: "2000" },
    folder: { type: "string", default: tmpdir() },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const OPENINGS = 21;
const PRINCIPAL = { keyId: "key_bench", accountId: "acct_local", scopes: ["*"] };
const ENDPOINT = { id: "raw.short-video.comments", price: 1500n, freeEligible: false };
const module = pathToFileURL(resolve(values.dist, "account/open-account.js")).href;
const { openAccount } = /** @type {typeof import("../../src/account/open-account.js")} */ (
  await import(module)
);

/** @param {readonly number[]} ms @param {number} share */
const quantile = (ms, share) =>
  ms.toSorted((a, b) => a - b)[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? Number.NaN;

/** @param {"relaxed" | "strict"} durability @param {string} lake */
const opened = (lake, durability) =>
  openAccount(lake, { durability, limits: "off", openingBalance: /** @type {never} */ (10n ** 12n) });

/** One call's way through the account. Releases before SQLite had a lease that came first. @param {any} account @param {string} id */
async function call(account, id) {
  const lease = await account.enter?.();
  const hold = await account.hold(PRINCIPAL, ENDPOINT, { requestId: id });
  const start = performance.now();
  await hold.charge(id);
  const chargeMs = performance.now() - start;
  lease?.leave();
  return chargeMs;
}

const root = await mkdtemp(join(values.folder, "mirrorlake-bench-account-"));
try {
  /** @type {Record<string, number>} */
  const figures = {};
  for (const durability of /** @type {const} */ (["relaxed", "strict"])) {
    await mkdir(join(root, durability));
    const account = await opened(join(root, durability), durability);
    for (let i = 0; i < 200; i++) await call(account, `warm-${i}`);
    const charges = [];
    const calls = [];
    for (let i = 0; i < Number(values.charges); i++) {
      const start = performance.now();
      charges.push(await call(account, crypto.randomUUID()));
      calls.push(performance.now() - start);
    }
    await account.close();
    figures[`${durability}, charge p50 µs`] = quantile(charges, 0.5) * 1000;
    figures[`${durability}, charge p99 µs`] = quantile(charges, 0.99) * 1000;
    figures[`${durability}, hold and charge p50 µs`] = quantile(calls, 0.5) * 1000;
    figures[`${durability}, hold and charge p99 µs`] = quantile(calls, 0.99) * 1000;
  }
  const long = join(root, "long");
  await mkdir(long);
  const account = await opened(long, "relaxed");
  for (let i = 0; i < Number(values.entries); i += 100)
    await Promise.all(Array.from({ length: 100 }, (_, j) => call(account, `long-${i + j}`)));
  await account.close();
  const openings = [];
  for (let i = 0; i < OPENINGS; i++) {
    const start = performance.now();
    const again = await opened(long, "relaxed");
    await again.state();
    openings.push(performance.now() - start);
    await again.close();
  }
  figures[`open with ${values.entries} entries, first, ms`] = openings[0] ?? Number.NaN;
  figures[`open with ${values.entries} entries, p50 ms`] = quantile(openings, 0.5);
  for (const [name, figure] of Object.entries(figures))
    process.stdout.write(`${name}: ${figure.toFixed(1)}\n`);
} finally {
  await rm(root, { recursive: true, force: true });
}

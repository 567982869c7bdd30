import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { micros } from "../../src/contract/money.js";
import { CAMPAIGN } from "../support/campaign.js";
import { count } from "../support/count.js";
import { callId, type LoadReport, loadServers } from "../support/load-servers.js";
import { PostgresServer } from "../support/postgres-server.js";
import { copySampleLake } from "../support/sample-lake.js";
import { ServeProcesses } from "../support/serve-process.js";

const PRICE = 1500n;
/** Less than a call costs. */
const REST = 700n;
const PATH = `/v1/raw/short-video/comments?item_id=${SAMPLES.itemId}`;
const MINUTES = 60_000;

let postgres: PostgresServer | undefined;
let servers: ServeProcesses | undefined;
let dir: string;
let lake: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-servers-"));
  [postgres, lake] = await Promise.all([PostgresServer.start(), copySampleLake(dir)]);
});
afterAll(async () => {
  await postgres?.remove();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(() => postgres!.sql("DROP SCHEMA IF EXISTS mirrorlake CASCADE"));
afterEach(() => servers?.remove());

/** Servers of one account with money for so many calls, and a key. */
async function start(howMany: number, affordable: number): Promise<{ apiKey: string }> {
  const openingBalance = micros(BigInt(affordable) * PRICE + REST);
  const account = await openPostgresAccount(postgres!.address, { openingBalance });
  const { apiKey } = await account.createKey({ scopes: ["*"], name: "load" });
  await account.close();
  const args = ["--lake", lake, "--read-only", "--account", postgres!.address, "--log", "json"];
  servers = await ServeProcesses.start(howMany, args);
  return { apiKey };
}

/** Holds what callers got against the ledger. */
async function check({ answers, odd }: LoadReport, charged: number): Promise<void> {
  expect(odd).toEqual([]);
  const paid = [...answers].filter(([, { status }]) => status === 200);
  const bodies = paid.map(
    ([, { body }]) => body as { data: { total: number }; meta: { charged_usd: string } },
  );
  expect(new Set(bodies.map(({ data }) => data.total))).toEqual(new Set([SAMPLES.commentCount]));
  expect(new Set(bodies.map(({ meta }) => meta.charged_usd))).toEqual(new Set(["0.001500"]));
  const entries = await postgres!.sql("SELECT request_id FROM mirrorlake.ledger WHERE outcome = 'charged'");
  count("charges", entries.length);
  count("doubled", entries.length - new Set(entries).size);
  expect(entries).toHaveLength(charged);
  expect(new Set(entries).size).toBe(charged);
  // Each caller that was answered was charged, and each that was charged was answered.
  expect(paid.map(([id]) => id).toSorted()).toEqual(entries.toSorted());
  expect(await postgres!.sql("SELECT balance FROM mirrorlake.account")).toEqual([String(REST)]);
  const sums = "SELECT SUM(amount::NUMERIC), COUNT(*) = MAX(seq) FROM mirrorlake.ledger";
  expect(await postgres!.sql(sums)).toEqual([`${REST}|t`]);
}

function print(title: string, report: LoadReport, seconds: number, more: Record<string, unknown>): void {
  if (!CAMPAIGN) return;
  const { attempts, answers, longestMs } = report;
  const statuses = [...answers.values()].map(({ status }) => status);
  const got = Object.fromEntries(
    [200, 402].map((each) => [each, statuses.filter((status) => status === each).length]),
  );
  const figures = { ...more, calls: answers.size, answers: got, attempts, longestMs: Math.round(longestMs) };
  console.log(`${title}: ${JSON.stringify({ ...figures, seconds: Math.round(seconds) })}`);
}

test("servers that are killed in the middle charge one account for what it has money for, and each call once", {
  tags: "slow",
  timeout: (CAMPAIGN ? 60 : 5) * MINUTES,
}, async () => {
  const [howMany, calls, affordable, lanes] = CAMPAIGN ? [8, 10_000, 4_321, 256] : [2, 120, 53, 16];
  const { apiKey } = await start(howMany, affordable);
  // The last kills leave holds of money that is wanted: callers wait until they expire.
  const shares = CAMPAIGN ? [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.98, 0.985, 0.99] : [0.5, 0.9];
  const replaced: Promise<void>[] = [];
  const onAnswer = (answered: number) => {
    const due = shares.filter((share) => answered >= share * affordable).length;
    while (replaced.length < due) replaced.push(servers!.replace(replaced.length * 3));
  };
  const began = performance.now();
  const report = await loadServers({ servers: servers!, path: PATH, apiKey, calls, lanes, onAnswer });
  await Promise.all(replaced);
  const seconds = (performance.now() - began) / 1000;
  const { kills, failedStarts } = servers!;
  print("servers killed", report, seconds, { servers: howMany, kills, failedStarts });
  count("kills", kills);
  expect(kills).toBe(shares.length);
  expect(report.answers.size).toBe(calls);
  await check(report, affordable);
  // A call that was answered is answered again by any server, though the money is spent; one that was refused is not.
  const again = { servers: servers!, path: PATH, apiKey, calls: CAMPAIGN ? 500 : 20, lanes: 16 };
  const repeated = await loadServers(again);
  for (const [id, { status }] of repeated.answers)
    expect([id, status]).toEqual([id, report.answers.get(id)?.status]);
  await check(report, affordable);
});

test("a database that is away in the middle leads to clear errors, and each call that asks again is charged once", {
  tags: "slow",
  timeout: (CAMPAIGN ? 60 : 5) * MINUTES,
}, async () => {
  const [howMany, calls, lanes] = CAMPAIGN ? [8, 4_000, 256] : [2, 80, 16];
  const { apiKey } = await start(howMany, calls);
  // Of two crashes the server comes back at once; away for longer than servers wait, calls fail.
  const shares = CAMPAIGN ? [0.15, 0.4, 0.7] : [0.4];
  const awayMs = (crash: number) => (crash === shares.length - 1 ? 13_000 : 0);
  let crashes = 0;
  let restarted = Promise.resolve();
  const onAnswer = (answered: number) => {
    if (crashes === shares.length || answered < shares[crashes]! * calls) return;
    const crash = crashes++;
    restarted = restarted.then(async () => {
      await postgres!.crash();
      await sleep(awayMs(crash));
      await postgres!.up();
    });
  };
  const began = performance.now();
  const report = await loadServers({ servers: servers!, path: PATH, apiKey, calls, lanes, onAnswer });
  await restarted;
  const seconds = (performance.now() - began) / 1000;
  print("PostgreSQL restarted", report, seconds, { servers: howMany, crashes });
  expect(crashes).toBe(shares.length);
  expect(Object.keys(report.attempts).toSorted()).toEqual(["200", "503 service_unavailable"]);
  expect(report.answers.get(callId(0))?.status).toBe(200);
  await check(report, calls);
  const said = servers!.outputs().join("\n");
  expect(said).toMatch(/"error":"account_(?:unreachable|commit_unknown)"/);
  expect(said).not.toContain("mirror:lake");
});

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { micros } from "../../src/contract/money.js";
import { createLockFile } from "../../src/files/process-lock.js";
import { rounds } from "../support/campaign.js";
import { count } from "../support/count.js";
import { PostgresServer } from "../support/postgres-server.js";
import { copySampleLake } from "../support/sample-lake.js";
import { ClickHouseNode } from "./clickhouse-node.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const SERVERS = 4;
/** Calls that are under way at once. */
const LANES = 24;
/** Price of a raw call, and calls that the account can pay for: fewer than are asked. */
const PRICE = 1500n;
const [ASKED, AFFORDABLE] = [rounds(200), rounds(121)];

let node: ClickHouseNode | undefined;
let postgres: PostgresServer | undefined;
let dir: string;
/** The temporary directory of the servers. */
let temporary: string;
let children: ChildProcess[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  [node, postgres] = await Promise.all([ClickHouseNode.start(), PostgresServer.start()]);
  await node.sql("CREATE DATABASE servers");
  temporary = join(dir, "temporary");
  await mkdir(temporary);
  const lake = await copySampleLake(dir);
  await installClickHouse([join(lake, "slices")], { lake: node.address("servers") });
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await postgres?.remove();
  await node?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** Starts a server in a process of its own; its address. */
function serve(): Promise<string> {
  const address = ["--lake", node!.address("servers"), "--account", postgres!.address];
  const child = spawn(process.execPath, [CLI, "serve", ...address, "--port", "0", "--no-limits"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: temporary },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        text += data;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${text}`)));
  });
}

test("a server that ends at once leaves no embedder, and takes away what another one left", async () => {
  const left = join(temporary, "mirrorlake-model-0123456789abcdef");
  await createLockFile(`${left}.lock`);
  await mkdir(left);
  await writeFile(join(left, "model.json"), "{}");
  await serve();
  children[0]!.kill("SIGKILL");
  expect(await readdir(temporary)).toEqual([]);
});

test("servers of one lake on ClickHouse and one account on PostgreSQL charge to the last micro-dollar", async () => {
  const account = await openPostgresAccount(postgres!.address, {
    openingBalance: micros(BigInt(AFFORDABLE) * PRICE + 700n),
  });
  const { apiKey } = await account.createKey({ scopes: ["*"], name: "load" });
  const urls = await Promise.all(Array.from({ length: SERVERS }, () => serve()));
  const path = `/v1/raw/short-video/comments?item_id=${SAMPLES.itemId}`;
  const call = async (n: number) => {
    // One connection each: a server closes those that are idle for long, which a busy machine may find too late.
    const headers = { Authorization: `Bearer ${apiKey}`, "X-Request-Id": `load-${n}`, Connection: "close" };
    const response = await fetch(`${urls[n % SERVERS]}${path}`, { headers });
    return [response.status, await response.json()] as const;
  };
  const answers: Awaited<ReturnType<typeof call>>[] = [];
  let next = 0;
  const lane = async () => {
    while (next < ASKED) answers.push(await call(next++));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const bodies = answers.flatMap(([status, body]) =>
    status === 200 ? [body as { data: { total: number }; meta: { charged_usd: string } }] : [],
  );
  expect(bodies).toHaveLength(AFFORDABLE);
  expect(new Set(bodies.map(({ data }) => data.total))).toEqual(new Set([SAMPLES.commentCount]));
  expect(new Set(bodies.map(({ meta }) => meta.charged_usd))).toEqual(new Set(["0.001500"]));
  const refused = answers.filter(([status]) => status !== 200).map(([status]) => status);
  expect(new Set(refused)).toEqual(new Set([402]));
  const entries = await postgres!.sql("SELECT request_id FROM mirrorlake.ledger WHERE outcome = 'charged'");
  count("servers", SERVERS);
  count("charges", entries.length);
  expect(new Set(entries).size).toBe(AFFORDABLE);
  expect(entries).toHaveLength(AFFORDABLE);
  expect(await postgres!.sql("SELECT balance, held FROM mirrorlake.account")).toEqual(["700|0"]);
  await account.close();
});

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Account } from "../../src/account/account.js";
import type { AccountOptions } from "../../src/account/account-options.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import { ClickHouseLake } from "../../src/clickhouse/clickhouse-lake.js";
import { Connection } from "../../src/clickhouse/connection.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { expectError, fits } from "../../src/conformance/checks.js";
import { type OpenSubject, openLocalSubject } from "../../src/conformance/local-subject.js";
import type { Outcome } from "../../src/conformance/rule.js";
import { RULES } from "../../src/conformance/rules.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { type RuleResult, runRules, scoreOf, scoreTable } from "../../src/conformance/score.js";
import { httpTransport } from "../../src/conformance/transports.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { envelopeSchema } from "../../src/contract/service/envelope.js";
import { startServer } from "../../src/http/server.js";
import { Lake } from "../../src/lake/lake.js";
import { PostgresServer } from "../support/postgres-server.js";
import { copySampleLake } from "../support/sample-lake.js";
import { ClickHouseNode, INTERPRETED } from "./clickhouse-node.js";

let node: ClickHouseNode | undefined;
let postgres: PostgresServer | undefined;
let dir: string;
let lakes: readonly (Lake | ClickHouseLake)[] = [];
const opened: OpenSubject[] = [];
let accounts = 0;

/** An account on PostgreSQL that nobody used, where Debian's is installed; else one in memory. */
async function openAccount(options: AccountOptions): Promise<Account> {
  if (postgres === undefined) return openMemoryAccount(options);
  const database = `account_${accounts++}`;
  await postgres.sql(`CREATE DATABASE ${database} STRATEGY file_copy`);
  return openPostgresAccount(postgres.address.replace(/postgres$/, database), options);
}

/** A folder with an account in memory, and a cluster with one on PostgreSQL: the fifth door. Both accounts are fresh. */
async function openDoors(): Promise<{ readonly folder: OpenSubject; readonly cluster: OpenSubject }> {
  const [folder, cluster] = lakes;
  const transport = httpTransport((service) => startServer(service));
  const doors = {
    folder: await openLocalSubject(transport, { lake: folder! }),
    cluster: await openLocalSubject(transport, { lake: cluster!, openAccount }),
  };
  opened.push(doors.folder, doors.cluster);
  return doors;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  node = await ClickHouseNode.start(INTERPRETED);
  if (existsSync("/usr/lib/postgresql")) postgres = await PostgresServer.start();
  await node.sql("CREATE DATABASE doors");
  const path = await copySampleLake(dir);
  await installClickHouse([join(path, "slices")], { lake: node.address("doors") });
  lakes = [await Lake.open(path), await ClickHouseLake.open(node.address("doors"))];
});

afterAll(async () => {
  for (const door of opened) await door.close();
  for (const lake of lakes) await lake.close();
  await postgres?.remove();
  await node?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** Calls, what they ask beside what samples do, and how many statements each takes. */
const STATEMENTS: readonly (readonly [
  id: string,
  more: Readonly<Record<string, unknown>>,
  statements: number,
])[] = [
  ["search", { query: "travel mouse" }, 6],
  // Words that were counted before.
  ["search", { query: "travel mouse", platforms: ["global-marketplace"] }, 5],
  ["raw.short-video.video", {}, 2],
  ["raw.short-video.comments", { count: 2 }, 3],
  ["raw.video-community.replies", { count: 1 }, 2],
  ["raw.microblog.creator", {}, 3],
  ["raw.microblog.posts", { count: 2 }, 2],
  ["raw.short-video.ranking", { count: 1 }, 2],
  ["raw.microblog.trend", {}, 3],
  ["raw.global-marketplace.price-path", {}, 2],
  ["datasets.slices", {}, 0],
  ["datasets.platforms", {}, 0],
];

/** Without what names the call, or files that only a folder has. */
function comparable({ status, body }: Outcome): unknown {
  const left = (key: string, value: unknown) =>
    key === "request_id" || key === "download_url" ? undefined : value;
  return { status, body: JSON.parse(JSON.stringify(body, left)) as unknown };
}

/** Makes a key by the endpoint, and gives its id. */
async function newKey(door: OpenSubject): Promise<string> {
  const { body } = await door.call("account.keys.create", { scopes: ["search"] });
  return (body as { data: { id: string } }).data.id;
}

describe("a lake on ClickHouse behind HTTP", () => {
  test("has the score of a folder: every rule that can be checked through HTTP is kept", async () => {
    const { folder, cluster } = await openDoors();
    const [expected, found] = [await runRules(RULES, folder), await runRules(RULES, cluster)];
    expect(found.filter(({ result }) => result === "failed")).toEqual([]);
    expect(scoreTable(scoreOf(found))).toBe(scoreTable(scoreOf(expected)));
    const outcome = ({ rule, result }: RuleResult) => [rule.id, result];
    expect(found.map(outcome)).toEqual(expected.map(outcome));
  });

  test("answers and charges at every endpoint as a lake in a folder does", async () => {
    const { folder, cluster } = await openDoors();
    expect(SAMPLE_CALLS).toHaveLength(CATALOGUE.length);
    for (const { id, success, empty, bad } of SAMPLE_CALLS) {
      const { data } = CATALOGUE.find((endpoint) => endpoint.id === id)!;
      if (id.startsWith("account.")) {
        // What it answers is of the one account: its ids and times.
        const params = id === "account.keys.revoke" ? { key_id: await newKey(cluster) } : success;
        const answer = await cluster.call(id, params);
        expect(answer.status, id).toBe(200);
        fits(envelopeSchema(data), answer.body);
      } else
        for (const params of [success, empty]) {
          if (params === undefined) continue;
          const answer = await cluster.call(id, params);
          fits(envelopeSchema(data), answer.body);
          expect(comparable(answer), id).toEqual(comparable(await folder.call(id, params)));
        }
      expect(comparable(await cluster.call(id, bad.params)), id).toEqual(
        comparable(await folder.call(id, bad.params)),
      );
      expectError(await cluster.call(id, success, "ml_none"), "invalid_api_key");
    }
  });

  test("asks the server no more often than it must: the last time for the state of the removals", async () => {
    const { cluster } = await openDoors();
    const methods = ["rows", "page", "bytes"] as const;
    const spies = methods.map((name) => vi.spyOn(Connection.prototype, name));
    try {
      const asked = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      await using _ = await ClickHouseLake.open(node!.address("doors"));
      expect(asked()).toBe(12);
      for (const [id, more, statements] of STATEMENTS) {
        for (const spy of spies) spy.mockClear();
        const { success } = SAMPLE_CALLS.find((call) => call.id === id)!;
        expect((await cluster.call(id, { ...success, ...more })).status, id).toBe(200);
        expect(asked(), id).toBe(statements);
      }
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
});

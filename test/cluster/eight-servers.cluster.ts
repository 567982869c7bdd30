import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import { micros } from "../../src/contract/money.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { COMMENTS, commentId, recordId, VIDEO, videoId, videos } from "../evolution/support.js";
import { batches, INFO } from "../lake/items.js";
import { CAMPAIGN, rounds } from "../support/campaign.js";
import { count } from "../support/count.js";
import { PostgresServer } from "../support/postgres-server.js";
import { ClickHouseNode, INTERPRETED } from "./clickhouse-node.js";
import { LakeServer, type Question, type Told } from "./lake-servers.js";

const SERVERS = 8;
const REMOVALS = rounds(10);
/** Removed one after another, and some that stay. */
const VIDEOS = REMOVALS + 10;
/** Least pause between two questions of a caller, and how many times longer it is than the answer took: that leaves any machine time for the removals. */
const [PAUSE_MS, PAUSE_TIMES] = CAMPAIGN ? [20, 0] : [1500, 4];

let node: ClickHouseNode | undefined;
let postgres: PostgresServer | undefined;
let servers: LakeServer[] = [];
let dir: string;
let lake: `clickhouse://${string}`;
let items: readonly SliceItem[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  [node, postgres] = await Promise.all([ClickHouseNode.start(INTERPRETED), PostgresServer.start()]);
  await node.sql("CREATE DATABASE eight");
  lake = node.address("eight");
  items = videos(0, VIDEOS);
  await writeSlices(batches(items), { out: join(dir, "slices"), info: INFO });
  await installClickHouse([join(dir, "slices")], { lake });
  const account = await openPostgresAccount(postgres.address, { openingBalance: micros(10n ** 12n) });
  const { apiKey } = await account.createKey({ scopes: ["*"], name: "load" });
  await account.close();
  servers = await Promise.all(
    Array.from({ length: SERVERS }, () => LakeServer.start(lake, postgres!.address, apiKey)),
  );
});

afterAll(async () => {
  for (const server of servers) server.remove();
  await postgres?.remove();
  await node?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** What names video `n`, its record, and each of its comments, wherever they are shown. */
const ofComment = (n: number, k: number) => `zebra${n}x${k}`;
const ofVideo = (n: number) => [
  `giraffe${n} `,
  ...Array.from({ length: COMMENTS }, (_, k) => ofComment(n, k)),
];

/** What removal `n` removes, and what is then in no answer. */
function removalOf(n: number): readonly [RemovalTarget, readonly string[]] {
  switch (n % 4) {
    case 0:
      return [{ kind: "record", id: recordId(n) }, ofVideo(n)];
    case 1:
      return [{ kind: "raw", platform: VIDEO, resource: "comment", id: commentId(n, 0) }, [ofComment(n, 0)]];
    case 2:
      return [{ kind: "raw", platform: VIDEO, resource: "video", id: videoId(n) }, ofVideo(n)];
    default:
      return [{ kind: "hash", hash: hashOf(n) }, ofVideo(n)];
  }
}

function hashOf(n: number): string {
  const found = items.find((item) => item.kind === "record" && item.record.id === recordId(n));
  if (found?.kind !== "record") throw new Error(`no record ${n}`);
  return found.record.prov.hash!;
}

/** Questions whose answers show video `n` and its comments: a search, raw calls, SQL. */
function questionsAbout(n: number): readonly Question[] {
  const item_id = videoId(n);
  return [
    { path: "/v1/search", params: { query: `giraffe${n} video edition`, limit: 20, freshness: "90d" } },
    { path: `/v1/raw/${VIDEO}/comments`, params: { item_id, count: 20 } },
    { sql: "SELECT id, text, comment_thread FROM records ORDER BY id" },
    { sql: `SELECT cid, text FROM comments WHERE item_id = '${item_id}' ORDER BY cid` },
  ];
}

test("ten removals while eight servers answer: from its acknowledgement on each is in no answer of any server", async () => {
  const acknowledged = new Map<string, number>();
  const [leaks, late]: [string[], string[]] = [[], []];
  let [answers, current, ended] = [0, 0, false];
  const ask = async (server: LakeServer, question: Question): Promise<Told> => {
    const told = await server.ask(question);
    answers += 1;
    for (const [what, since] of acknowledged)
      if (told.answeredAt > since && told.text.includes(what)) {
        const message = `${what} by ${JSON.stringify(question)}`;
        if (told.askedAt > since) leaks.push(message);
        else late.push(`${Math.round(told.answeredAt - since)} ms: ${message}`);
      }
    return told;
  };
  /** Asks each server so many kinds of questions about a video, each server others. */
  const askAll = (n: number, kinds: number) =>
    Promise.all(
      servers.map(async (server, place) => {
        const questions = questionsAbout(n);
        const texts: string[] = [];
        for (let kind = 0; kind < kinds; kind += 1)
          texts.push((await ask(server, questions[(n + place + kind) % questions.length]!)).text);
        return texts.join();
      }),
    );
  const running = servers.map(async (server, place) => {
    for (let turn = place; !ended; turn += 1) {
      // What is being removed, and in turn what was removed and what is next.
      const questions = questionsAbout(turn % 2 === 0 ? current : turn % (current + 2));
      const { askedAt, answeredAt } = await ask(server, questions[turn % questions.length]!);
      await sleep(Math.max(PAUSE_MS, PAUSE_TIMES * (answeredAt - askedAt)));
    }
  });
  const began = performance.now();
  const took: number[] = [];
  const load = Promise.all(running);
  const removals = (async () => {
    for (; current < REMOVALS; current += 1) {
      const [target, gone] = removalOf(current);
      for (const text of await askAll(current, 1))
        expect(gone.filter((what) => text.includes(what))).not.toEqual([]);
      const from = performance.now();
      await removeRecords([target], { lake, reason: "under load" });
      const at = performance.now();
      took.push(at - from);
      for (const what of gone) acknowledged.set(what, at);
      await askAll(current, CAMPAIGN ? questionsAbout(current).length : 1);
    }
  })();
  try {
    await Promise.race([load, removals]);
  } finally {
    ended = true;
  }
  await load;
  if (CAMPAIGN)
    console.log(
      `${SERVERS} servers: ${JSON.stringify({ removals: took.length, answers, leaks: leaks.length, late, seconds: Math.round((performance.now() - began) / 1000), removalMs: took.map(Math.round) })}`,
    );
  count("removals", took.length);
  count("wrong", leaks.length);
  expect(leaks).toEqual([]);
  expect(took).toHaveLength(REMOVALS);
  for (const n of [REMOVALS, REMOVALS + 1])
    for (const text of await askAll(n, questionsAbout(n).length))
      for (const what of ofVideo(n)) expect(text).toContain(what);
});

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { connect } from "../../src/client/connect.js";
import { openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { startServer } from "../../src/http/server.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { answeredRecord } from "../../src/store/answered/answered-raw-record.js";
import { capture } from "../cli/capture.js";
import {
  commentId,
  commentText,
  EMBEDDER,
  recordId,
  VIDEO,
  videoId,
  videoItems,
  videos,
} from "../evolution/support.js";
import { batches, INFO, instant, makeItems, makeRecord } from "../lake/items.js";
import { ODD_IDS, ODD_POST, oddSlices } from "../support/odd-ids.js";
import { answersOf } from "./lake-answers.js";
import { useNode } from "./use-node.js";
import { Wire } from "./wire.js";

const MEMORY = { account: "memory", limits: "off", openingBalance: "1000" } as const;
const used = useNode("removals");

async function slicesOf(name: string, items: readonly SliceItem[]): Promise<string> {
  await writeSlices(batches(items), { out: join(used.dir, name), info: INFO });
  return join(used.dir, name);
}

/** Price points of the product of `makeRecord(n)`, one a day. */
function pricesOf(n: number): SliceItem[] {
  return Array.from({ length: 12 }, (_, day) => ({
    kind: "raw",
    raw: {
      platform: "global-marketplace",
      resource: "price",
      id: `${n}-${day}`,
      parent: String(n),
      lang: "en",
      captured_at: instant(day - 10 + (n % 40)),
      created_at: instant(day - 10 + (n % 40)),
      score: 0,
      data: { current: 20 + day * ((n % 3) + 1), currency: "USD" },
    },
  }));
}

const PRODUCTS = [4, 10, 16, 22];
/** Of each kind, and some that name nothing. */
const TARGETS: readonly RemovalTarget[] = [
  { kind: "record", id: recordId(3) },
  { kind: "raw", platform: VIDEO, resource: "video", id: videoId(8) },
  { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(11, 1) },
  { kind: "author", id: "uid4" },
  { kind: "author", platform: "microblog", id: "u12" },
  { kind: "hash", hash: makeRecord(5).prov.hash },
  { kind: "hash", hash: answeredRecord(makeRecord(14)).prov.hash },
  { kind: "hash", hash: answeredRecord(makeRecord(65, 1)).prov.hash },
  { kind: "record", id: "web_gnw_nothing" },
  ...PRODUCTS.map(
    (n) => ({ kind: "raw", platform: "global-marketplace", resource: "price", id: `${n}-1` }) as const,
  ),
];

describe("a removal", () => {
  test("leaves what it leaves in a folder, and holds for later installs", async () => {
    const first = await slicesOf("first", [
      ...makeItems(0, 60),
      ...videos(0, 20),
      ...PRODUCTS.flatMap(pricesOf),
    ]);
    const second = await slicesOf("second", [...makeItems(40, 70, 1), ...videos(2, 30, 25, 1)]);
    const [lake, folder] = [await used.newDatabase(), join(used.dir, "folder")];
    await installClickHouse([first], { lake });
    await installSlices([first], { lake: folder });
    await using cluster = await openLake(lake, MEMORY);
    await using expected = await openLake(folder, { ...MEMORY, exact: true });
    expect(await answersOf(cluster.lake)).toEqual(await answersOf(expected.lake));
    const row = await cluster.lake.corpus.recordRow(recordId(3));
    const reason = "takedown 1";
    for (const targets of [TARGETS.slice(0, 4), TARGETS]) {
      const { corpus: _, withheld: __, ...wanted } = await removeRecords(targets, { lake: folder, reason });
      expect(await removeRecords(targets, { lake, reason })).toEqual({ ...wanted, withheld: [] });
      expect(await answersOf(cluster.lake)).toEqual(await answersOf(expected.lake));
    }
    await expect(cluster.lake.corpus.records([row!])).rejects.toMatchObject({ code: "record_removed" });
    await installClickHouse([second], { lake });
    await installSlices([second], { lake: folder });
    await Promise.all([cluster.refresh(), expected.refresh()]);
    // The folder, which is small, built its index again, of texts without the quotes: it ranks otherwise.
    expect(await answersOf(cluster.lake, [])).toEqual(await answersOf(expected.lake, []));
  });

  test("hides what is stored in another form of the id, and names what matches nothing, as in a folder", async () => {
    const slices = await oddSlices(used.dir);
    const [lake, folder] = [await used.newDatabase(), join(used.dir, "odd-folder")];
    await installClickHouse([slices], { lake });
    await installSlices([slices], { lake: folder });
    const news = { kind: "raw", platform: "global-news", resource: "article" } as const;
    const comment = { kind: "raw", platform: "forum", resource: "comment" } as const;
    await using client = await openLake(lake, MEMORY);
    const article = () => client.call("raw.global-news.article", { article_id: ODD_IDS.long });
    expect((await article()).data).toMatchObject({ extra: { url: ODD_IDS.long } });
    const targets: readonly RemovalTarget[] = [
      { ...news, id: ODD_IDS.percent },
      { ...news, id: ODD_IDS.long },
      { ...comment, id: `c:${ODD_IDS.space}` },
      { kind: "author", platform: "forum", id: "u 3" },
      { ...comment, id: "c:nothing" },
      { kind: "author", id: "nobody" },
      { kind: "raw", platform: "forum", resource: "post", id: ODD_POST },
    ];
    for (const some of [targets.slice(0, 6), targets]) {
      const { corpus: _, withheld: __, ...wanted } = await removeRecords(some, { lake: folder, reason: "x" });
      expect(await removeRecords(some, { lake, reason: "x" })).toEqual({ ...wanted, withheld: [] });
    }
    await client.refresh();
    expect((await article()).data).toBeNull();
  });

  test("reads the texts for a hash that names nothing once, and those that come later", async () => {
    const wire = await Wire.to(used.node.port);
    try {
      const [lake, folder] = [await used.newDatabase(), join(used.dir, "hashes-folder")];
      const database = new URL(lake).pathname.slice(1);
      const wired = used.node.address(database, wire.port);
      const install = async (dir: string) => {
        await installClickHouse([dir], { lake });
        await installSlices([dir], { lake: folder });
      };
      /** Removes from both lakes; how much the server said. */
      const remove = async (...targets: RemovalTarget[]) => {
        const { unmatched, derived, total } = await removeRecords(targets, { lake: folder, reason: "x" });
        const before = wire.bytes;
        const report = await removeRecords(targets, { lake: wired, reason: "x" });
        expect(report).toMatchObject({ unmatched, derived, total });
        return wire.bytes - before;
      };
      let asked = 0;
      const nothing = (): RemovalTarget => ({ kind: "record", id: `web_gnw_nothing${asked++}` });
      const ids = async (path: string) => {
        await using client = await openLake(path, MEMORY);
        return client.sql("SELECT id FROM records ORDER BY id");
      };
      const given = makeItems(0, 150);
      const first = join(used.dir, "hashes");
      const revised = await writeSlices(batches(given), { out: first, info: INFO });
      const later = await slicesOf("hashes-later", makeItems(260, 270));
      const revision = join(used.dir, "hashes-revision");
      await writeSlices(
        batches(given.filter((item) => item.kind === "raw" || item.record.id !== makeRecord(5).id)),
        {
          out: revision,
          info: INFO,
          revises: revised.map(({ manifest }) => manifest),
        },
      );
      await install(first);
      const texts = Number(await used.node.sql("SELECT sum(length(record)) FROM records", database));
      const before = await remove(nothing());
      await remove(
        { kind: "hash", hash: makeRecord(5).prov.hash },
        { kind: "hash", hash: answeredRecord(makeRecord(14)).prov.hash },
        { kind: "hash", hash: answeredRecord(makeRecord(265)).prov.hash },
        { kind: "hash", hash: `0x${"0".repeat(64)}` },
      );
      expect((await remove(nothing())) - before).toBeLessThan(texts / 2);
      await install(later);
      expect(await ids(lake)).toEqual(await ids(folder));
      expect((await remove(nothing())) - before).toBeLessThan(texts / 2);
      // Now another removed hash names nothing.
      await install(revision);
      const once = await remove(nothing());
      expect(once - (await remove(nothing()))).toBeGreaterThan(texts);
      expect(await ids(lake)).toEqual(await ids(folder));
    } finally {
      wire.remove();
    }
  });

  test.each([6, 7])(
    "takes quotes out that an install brings: one begun before it, and one by a clock that is behind, in tables of version %i",
    async (version) => {
      const lake = await used.newDatabase();
      const authors = ["gone", "gone", "other"];
      const items = videoItems(6).map((item): SliceItem => {
        if (item.kind !== "raw" || item.raw.resource !== "comment") return item;
        const author = authors[Number(item.raw.id.at(-1))]!;
        return { ...item, raw: { ...item.raw, author, data: { ...item.raw.data, author: { uid: author } } } };
      });
      const isLater = (item: SliceItem) => item.kind === "raw" && item.raw.id === commentId(6, 1);
      const first = await slicesOf(
        `quoting_${version}`,
        items.filter((item) => !isLater(item)),
      );
      const second = await slicesOf(`quoted_${version}`, [...items.filter(isLater), ...makeItems(0, 1)]);
      const install = (dir: string, begun?: () => Promise<unknown>, behindMs = 0) => {
        const embedDocuments: Embedder["embedDocuments"] = async (texts, signal) => {
          await begun?.();
          return EMBEDDER.embedDocuments(texts, signal);
        };
        const clock = { now: () => Date.now() - behindMs };
        return installClickHouse([dir], { lake, clock, embedder: { ...EMBEDDER, embedDocuments } });
      };
      const remove = (id: string) =>
        removeRecords([{ kind: "author", platform: VIDEO, id }], { lake, reason: "takedown" });
      await install(first);
      await remove("gone");
      await using client = await openLake(lake, { ...MEMORY, embedder: EMBEDDER });
      const shown = async () => {
        await client.refresh();
        const found = await client.search({ query: "giraffe6", freshness: "90d" });
        const text = JSON.stringify([found, await client.raw(VIDEO, "video", { item_id: videoId(6) })]);
        return [0, 1, 2].filter((k) => text.includes(commentText(6, k)));
      };
      expect(await shown()).toEqual([1, 2]);
      if (version === 7) {
        await install(second, () => remove("other"), 3_600_000);
        expect(await shown()).toEqual([]);
        return;
      }
      const database = new URL(lake).pathname.slice(1);
      await used.node.sql("TRUNCATE TABLE schema_version", database);
      await used.node.sql("INSERT INTO schema_version (version) VALUES (6)", database);
      // As on several servers, whose tables an install leaves as they are: these cannot tell which change is the newest.
      await used.node.sql("CREATE TABLE schema_version_local AS schema_version", database);
      await expect(install(second, () => remove("other"))).rejects.toMatchObject({ code: "cluster_busy" });
      expect(await shown()).toEqual([1]);
      await install(second, undefined, 3_600_000);
      expect(await shown()).toEqual([]);
    },
  );

  test("is in no answer of any server from its acknowledgement on", async () => {
    const lake = await used.newDatabase();
    await installClickHouse([await slicesOf("loaded", [...videos(0, 40), ...makeItems(0, 30)])], { lake });
    const clients = [await openLake(lake, MEMORY), await openLake(lake, MEMORY)];
    const servers = await Promise.all(clients.map((client) => startServer(client.service)));
    const remotes = servers.map(({ url }, i) => connect({ baseUrl: url, apiKey: clients[i]!.apiKey! }));
    const acknowledged = new Map<string, number>();
    const leaks: string[] = [];
    let [answers, ended] = [0, false];
    const ask = async (server: number, id: string, params: Record<string, unknown>) => {
      const answer: unknown = await remotes[server]!.call(id, params).catch((error: { code: string }) => {
        if (error.code !== "not_found") throw error;
        return error.code;
      });
      const [text, at] = [JSON.stringify(answer), performance.now()];
      answers += 1;
      for (const [what, since] of acknowledged)
        if (since < at && text.includes(what)) leaks.push(`${what} ${at - since} ms after: ${id}`);
    };
    const load = [0, 1].flatMap((server) => [
      () => ask(server, "search", { query: "giraffe video edition", limit: 50, freshness: "90d" }),
      () => ask(server, "raw.short-video.comments", { item_id: videoId(answers % 10), count: 50 }),
    ]);
    const running = load.map(async (call) => {
      while (!ended) {
        await call();
        // Leaves the machine some time for the removals.
        await sleep(20);
      }
    });
    const targets: [RemovalTarget, string][] = Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0
        ? [{ kind: "record", id: recordId(n) }, `giraffe${n} `]
        : [{ kind: "raw", platform: VIDEO, resource: "comment", id: commentId(n, 0) }, commentText(n, 0)],
    );
    await sleep(300);
    for (const [target, what] of targets) {
      await removeRecords([target], { lake, reason: "under load" });
      acknowledged.set(what, performance.now());
    }
    await sleep(300);
    ended = true;
    await Promise.all(running);
    expect(leaks).toEqual([]);
    expect(answers).toBeGreaterThan(50);
    for (const server of servers) await server.close();
    for (const client of clients) await client.close();
  });

  test("is refused without a lake, and on the command line says what it did", async () => {
    const lake = await used.newDatabase();
    const target = { kind: "record", id: recordId(1) } as const;
    await expect(removeRecords([target], { lake, reason: "none" })).rejects.toMatchObject({
      code: "lake_not_found",
    });
    await expect(removeRecords([target], { lake, reason: " " })).rejects.toMatchObject({
      code: "removal_reason_missing",
    });
    await installClickHouse([await slicesOf("told", videos(0, 3))], { lake });
    const removed = await capture(["remove", "--id", recordId(1), "--lake", lake, "--reason", "told"]);
    expect(removed, removed.err).toMatchObject({ code: 0, out: expect.stringContaining("1 of them new") });
  });
});

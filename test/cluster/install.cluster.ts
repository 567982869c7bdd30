import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { retainLake } from "../../src/lake/maintain/retain-lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { EMBEDDER, recordId, videos } from "../evolution/support.js";
import { batches, INFO, makeRecord } from "../lake/items.js";
import { answersOf } from "./lake-answers.js";
import { useNode } from "./use-node.js";

const MEMORY = { account: "memory", limits: "off" } as const;
const used = useNode("install");

/** Slices of the records of some numbers, in one of their editions. */
async function slicesOf(name: string, numbers: readonly number[], edition: number): Promise<string> {
  async function* items(): AsyncGenerator<SliceItem[]> {
    yield numbers.map((n) => ({ kind: "record", record: makeRecord(n, edition) }));
  }
  await writeSlices(items(), { out: join(used.dir, name), info: INFO });
  return join(used.dir, name);
}

/** Does something, for which the server may run so many statements at most: each costs it, and a round trip. */
async function within<T>(most: number, work: () => Promise<T>): Promise<T> {
  const count = async () =>
    Number(await used.node.sql("SELECT value FROM system.events WHERE event = 'Query'"));
  const before = await count();
  const done = await work();
  expect((await count()) - before - 1).toBeLessThanOrEqual(most);
  return done;
}

/** Cuts the files of a lake's embedder into parts. */
async function inParts(database: string, bytes: number): Promise<void> {
  await used.node.sql("CREATE TABLE whole AS models", database);
  await used.node.sql("INSERT INTO whole SELECT * FROM models", database);
  await used.node.sql("TRUNCATE TABLE models", database);
  await used.node.sql(
    `INSERT INTO models SELECT model, file, toUInt32(n), substring(bytes, n * ${bytes} + 1, ${bytes})
      FROM whole ARRAY JOIN range(greatest(1, intDiv(length(bytes) + ${bytes - 1}, ${bytes}))) AS n`,
    database,
  );
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("installing", () => {
  test("is idempotent, and shows the later edition of a record as a folder does", async () => {
    const old = await slicesOf("old", upTo(60), 0);
    const recent = await slicesOf("recent", upTo(80).slice(30), 1);
    const [lake, folder] = [await used.newDatabase(), join(used.dir, "folder")];
    await installClickHouse([old], { lake });
    expect(await within(3, () => installClickHouse([old], { lake }))).toMatchObject({
      change: "none",
      records: { added: 0 },
    });
    await using reader = await within(13, () => openLake(lake, MEMORY));
    const before = reader.lake.corpus;
    expect(before.recordCount).toBe(60);
    const report = await within(46, () => installClickHouse([recent, old], { lake }));
    expect(report).toMatchObject({ change: "added", records: { added: 50, replaced: 30 } });
    expect(before.recordCount).toBe(60);
    await reader.refresh();
    await installSlices([old], { lake: folder });
    await installSlices([recent], { lake: folder });
    await using expected = await openLake(folder, { ...MEMORY, exact: true });
    const [a, b] = [reader.lake.corpus, expected.lake.corpus];
    expect([a.recordCount, a.asOfMs]).toEqual([b.recordCount, b.asOfMs]);
    for (const orderBy of ["id", "captured", "likes", "price"] as const) {
      const page = { orderBy, descending: true, offset: 5, limit: 40 };
      const [found, wanted] = [await a.recordsPage(page), await b.recordsPage(page)];
      expect(found.total).toBe(wanted.total);
      expect(await a.records(found.rows)).toEqual(await b.records(wanted.rows));
    }
    const ids = async (corpus: typeof a, index: typeof reader.lake.index, query: string) => {
      const { rows, scores } = await index.rank(query, corpus.match({}), { limit: 30, mode: "keyword" });
      return (await corpus.records(rows)).map(({ id }, i) => [id, scores[i]]);
    };
    for (const query of ["phone camera", "手机", "rumah murah noticias", '"café news"'])
      expect(await ids(a, reader.lake.index, query)).toEqual(await ids(b, expected.lake.index, query));
  });

  test("leaves older tables as they are where their embedder cannot be read", async () => {
    const lake = await used.newDatabase();
    const database = lake.split("/").at(-1)!.split("?")[0]!;
    await installClickHouse([await slicesOf("of-old", upTo(5), 0)], { lake });
    const more = await slicesOf("of-new", [6, 7], 0);
    const sql = (text: string) => used.node.sql(text, database);
    const become = (from: number, to: number) =>
      sql(
        `ALTER TABLE models UPDATE bytes = replace(bytes, '"formatVersion": ${from}', '"formatVersion": ${to}')
          WHERE file = 'model.json' SETTINGS mutations_sync = 1`,
      );
    await sql("TRUNCATE TABLE schema_version");
    await sql("INSERT INTO schema_version (version) VALUES (2)");
    await become(6, 4);
    await expect(installClickHouse([more], { lake })).rejects.toMatchObject({ code: "cluster_older_format" });
    expect(await sql("SELECT version FROM schema_version")).toBe("2");
    await become(4, 6);
    expect(await installClickHouse([more], { lake })).toMatchObject({ change: "added" });
    expect(await sql("SELECT max(version) FROM schema_version")).toBe("8");
  });

  test("leaves nothing of an install that was aborted", async () => {
    const slices = await slicesOf("aborted", upTo(40), 0);
    const lake = await used.newDatabase();
    const abort = new AbortController();
    const onProgress = ({ phase, done }: { phase: string; done: number }) => {
      if (phase === "publish" && done === 3) abort.abort(new Error("enough"));
    };
    await expect(installClickHouse([slices], { lake, onProgress, signal: abort.signal })).rejects.toThrow(
      "enough",
    );
    await expect(openLake(lake, MEMORY)).rejects.toMatchObject({ code: "lake_empty" });
    const rows = await used.node.sql(
      "SELECT (SELECT count() FROM records) + (SELECT count() FROM postings)",
      lake.split("/").pop(),
    );
    expect(rows).toBe("0");
    expect(await installClickHouse([slices], { lake })).toMatchObject({ records: { added: 40 } });
  });
});

describe("a slice that was cut by age", () => {
  const QUICK = { localSet: false, embedder: EMBEDDER, threads: 1 } as const;
  const root = (name: string) => join(used.dir, name);
  /** What is left in a lake of a slice's recent items, as a slice in a folder. */
  async function cutOf(slice: string, name: string, removed?: string): Promise<string> {
    const lake = root(`${name}-lake`);
    await installSlices([slice], { lake, ...QUICK });
    if (removed !== undefined) {
      await removeRecords([{ kind: "record", id: removed }], { lake, reason: "takedown" });
      await compactLake({ lake, embedder: EMBEDDER, threads: 1 });
    }
    await retainLake({ lake, olderThan: "5d", embedder: EMBEDDER, threads: 1 });
    const [cut, ...others] = await lakeSlices(lake);
    expect([cut!.mirrorlake.cutFrom?.byAge, others]).toEqual([true, []]);
    await cp(join(lake, "slices", cut!.mirrorlake.root), root(name), { recursive: true });
    return root(name);
  }
  const writtenOf = async (name: string, items: readonly SliceItem[]) => {
    const [slice] = await writeSlices(batches(items), { out: root(name), info: { ...INFO, title: name } });
    return slice!.dir;
  };

  test("gives way to the whole one, and takes its place, as in a folder", async () => {
    const whole = await writtenOf("whole", [...videos(0, 6, 3), ...videos(6, 10, 20)]);
    const other = await writtenOf("other", videos(4, 8, 9, 1));
    const [cut, less] = [await cutOf(whole, "cut"), await cutOf(whole, "less", recordId(7))];
    const orders = [
      [[cut], [whole], [cut]],
      [[whole, other], [less], [whole], [less]],
    ];
    for (const [i, order] of orders.entries()) {
      const [lake, folder] = [await used.newDatabase(), root(`folder-${i}`)];
      const lost = { kind: "author", id: "u5" } as const;
      for (const [n, slices] of order.entries()) {
        const wanted = await installSlices(slices, { lake: folder, ...QUICK });
        const report = await installClickHouse(slices, { lake, threads: 1 });
        const states = ({ slices: of }: { slices: readonly { root: string; state: string }[] }) =>
          of.map((slice) => [slice.root, slice.state]);
        const step = `order ${i}, step ${n}`;
        expect(states(report), step).toEqual(states(wanted));
        await using expected = await openLake(folder, { ...MEMORY, exact: true });
        await using found = await openLake(lake, MEMORY);
        expect(await answersOf(found.lake, ["keyword"]), step).toEqual(
          await answersOf(expected.lake, ["keyword"]),
        );
        const page = { offset: 0, limit: 100 };
        expect(found.lake.corpus.slices(page), step).toEqual(expected.lake.corpus.slices(page));
        const rows = "SELECT root FROM slices ORDER BY root";
        expect(await found.sql(rows), step).toEqual(await expected.sql(rows));
        if (n !== 1) continue;
        for (const of of [folder, lake]) await removeRecords([lost], { lake: of, reason: "takedown" });
      }
      const verified = await capture(["verify", "--lake", lake]);
      expect(verified.code, verified.out).toBe(0);
    }
  });
});

describe("what a lake on ClickHouse says", () => {
  test("of an address without a lake, without a server, and that is none", async () => {
    await expect(openLake(await used.newDatabase(), MEMORY)).rejects.toMatchObject({
      code: "lake_not_found",
    });
    await expect(openLake(used.node.address("nowhere"), MEMORY)).rejects.toMatchObject({
      code: "cluster_not_allowed",
    });
    await expect(openLake("clickhouse://me:secret@127.0.0.1:9/lake", MEMORY)).rejects.toMatchObject({
      code: "cluster_unreachable",
      message: expect.not.stringContaining("secret"),
    });
    await expect(openLake("clickhouse://host/a-b;c", MEMORY)).rejects.toMatchObject({
      code: "invalid_lake_address",
    });
  });

  test("of what it does not have, while it answers and through a crash of the server", async () => {
    const lake = await used.newDatabase();
    await installClickHouse([await slicesOf("few", upTo(20), 0)], { lake });
    // As an embedder has them that is fitted to many texts.
    await inParts(lake.split("/").pop()!, 5000);
    await using client = await openLake(lake, MEMORY);
    const tables = { mine: [{ a: 1 }] };
    await expect(client.sql("SELECT 1", [], { tables })).rejects.toMatchObject({
      code: "cluster_unsupported",
    });
    expect(() => client.lake.index.vector(0)).toThrow("cannot be had");
    const search = () => client.search({ query: "phone camera", freshness: "90d" });
    const { data } = await within(6, search);
    expect(data.length).toBeGreaterThan(0);
    // The words of the query are counted by then.
    expect((await within(5, search)).data).toEqual(data);
    await installClickHouse([await slicesOf("more", [20, 21], 0)], { lake });
    // The embedder, which counts as before, is not fetched again: its parts are many.
    await within(13, () => client.refresh());
    expect(client.lake.corpus.recordCount).toBe(22);
    const { data: grown } = await search();
    await used.node.kill();
    await expect(search()).rejects.toMatchObject({ code: "service_unavailable" });
    await used.node.up();
    expect((await search()).data).toEqual(grown);
  });

  test("on the command line", async () => {
    const [lake, slices] = [await used.newDatabase(), await slicesOf("told", upTo(20), 0)];
    const installed = await capture(["install", slices, "--lake", lake]);
    expect(installed).toMatchObject({
      code: 0,
      out: expect.stringContaining("20 records and 0 raw items added"),
    });
    const found = await capture(["search", "phone", "--lake", lake, "--json"]);
    expect(found.code, found.err).toBe(0);
    const refused = await capture(["compact", "--lake", lake]);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("folder_needed") });
  });
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Connection } from "../../src/clickhouse/connection.js";
import { CLICKHOUSE_DEFAULTS } from "../../src/clickhouse/defaults.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { commentId, commentText, recordId, VIDEO, videos } from "../evolution/support.js";
import { batches, INFO } from "../lake/items.js";
import { ESCAPES as FOLDER_ESCAPES } from "../sql/escapes.js";
import { temporaryRichLake } from "../sql/rich-lake.js";
import { readSlowly } from "../support/read-slowly.js";
import { BEYOND_READING, ESCAPES } from "./escapes.js";
import { useNode } from "./use-node.js";

const MEMORY = { account: "memory", limits: "off" } as const;
/** Seconds after which the node ends an answer that nobody takes. */
const SEND_SECONDS = 4;
const used = useNode("sql", [`http_send_timeout=${SEND_SECONDS}`]);
let address: `clickhouse://${string}`;
let folder: LakeClient;
let cluster: LakeClient;
let remove: () => Promise<void>;

beforeAll(async () => {
  const built = await temporaryRichLake();
  remove = built.remove;
  address = await used.newDatabase();
  await used.node.sql("CREATE DATABASE other");
  await used.node.sql("CREATE TABLE other.secret (x String) ENGINE = MergeTree ORDER BY x");
  await used.node.sql("INSERT INTO other.secret VALUES ('kept')");
  await installClickHouse([join(built.path, "..", "slices")], { lake: address });
  folder = await openLake(built.path, { ...MEMORY, exact: true });
  cluster = await openLake(address, MEMORY);
});

afterAll(async () => {
  await folder?.close();
  await cluster?.close();
  await remove?.();
});

/** The views, each with an order of its rows. */
const VIEWS = [
  ["records", "id"],
  ["comments", "platform, cid"],
  ["videos", "platform, item_id"],
  ["prices", "platform, product_id, location, priced_at"],
  ["vectors", "id"],
  ["slices", "root"],
] as const;

/** A folder tells an absent list from an empty one, which a column of ClickHouse cannot. */
function withoutAbsentLists(rows: readonly object[]) {
  const lists = new Set(["comment_thread", "review_sample", "entities"]);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, lists.has(key) ? (value ?? []) : value]),
    ),
  );
}

describe("SQL on ClickHouse", () => {
  test.each(VIEWS)("the view %s has the rows of a folder's", async (name, order) => {
    const text = `SELECT * FROM ${name} ORDER BY ${order}`;
    const [expected, found] = [await folder.sql(text), await cluster.sql(text)];
    expect(expected.length).toBeGreaterThan(0);
    expect(found.length).toBe(expected.length);
    expect(withoutAbsentLists(found)).toEqual(withoutAbsentLists(expected));
    expect(Object.keys(found[0]!)).toEqual(Object.keys(expected[0]!));
  });

  test("agrees with a folder where the dialects do", async () => {
    const queries: readonly (readonly [string, (unknown[] | Record<string, unknown>)?])[] = [
      ["SELECT src, count(*) AS n, sum(metrics_likes) AS likes FROM records GROUP BY src ORDER BY src"],
      ["SELECT platform, lang, count(*) AS n FROM records GROUP BY ALL ORDER BY n DESC, platform, lang"],
      [
        "SELECT count(*) AS n, max(created_at) AS newest FROM comments WHERE item_id = $video AND reply_to IS NULL",
        { video: "7400000000000000123" },
      ],
      ["SELECT id FROM records WHERE lang = ? AND sentiment_score < ? ORDER BY id", ["zh", 0.1]],
      ["SELECT id FROM records WHERE lang IN ($1) AND 1 IN (SELECT 1) ORDER BY id", ["zh"]],
      [
        "SELECT p.product_id, min(p.price) AS low, r.title FROM prices p LEFT JOIN records r ON r.price_current = p.price AND r.lang = 'xx' GROUP BY p.product_id, r.title ORDER BY 1, 2",
      ],
      [
        "WITH likes AS (SELECT platform AS p, sum(likes) AS n FROM comments GROUP BY platform), most AS (SELECT max(n) AS n FROM likes) SELECT p FROM likes WHERE n = (SELECT n FROM most) ORDER BY p",
      ],
      ["SELECT id, row_number() OVER (PARTITION BY lang ORDER BY id) AS place FROM records ORDER BY id"],
      [
        "SELECT s.rank, s.score, r.id FROM search('lantern festival', 5) s JOIN records r USING (id) ORDER BY s.rank",
      ],
      ["SELECT id, rank FROM search(?, $2) ORDER BY rank", ["paper lanterns", 3]],
      [
        "SELECT CASE WHEN text IS NULL THEN 'none' WHEN length(text) > 3 THEN 'some' ELSE 'few' END AS kind, count(*) AS n FROM records GROUP BY 1 ORDER BY 1",
      ],
      ["SELECT sum(metrics_likes) AS nothing, count(metrics_likes) AS none FROM records WHERE src = 'web'"],
      [
        "SELECT 'it''s' AS quoted, NULL AS nothing, 9007199254740993::BIGINT AS large, 1.5::DOUBLE AS half, TRUE AS yes, DATE '2026-04-01' AS day",
      ],
      ["SELECT sum(records) AS records, sum(vectors) AS vectors FROM slices"],
      [
        "SELECT id FROM records WHERE captured_at >= $from::TIMESTAMP ORDER BY id;",
        { from: "2026-04-12 00:00:00" },
      ],
      ["SELECT a FROM (SELECT 1 AS a UNION SELECT 1 UNION ALL SELECT 2) ORDER BY a -- the end"],
      ["SELECT id FROM records WHERE src = 'no such' ORDER BY id"],
    ];
    for (const [text, params] of queries) {
      const of = (lake: LakeClient) => lake.sql(text, params as never).catch((error: Error) => error.message);
      expect(await of(cluster), text).toEqual(await of(folder));
    }
  });

  test("gives Arrow of a folder's types, in batches, and stops where its reader does", async () => {
    const text = "SELECT id, metrics_likes, captured_at, price_current, platform FROM records ORDER BY id";
    const [expected, found] = [
      await folder.sql(text, [], { as: "table" }),
      await cluster.sql(text, [], { as: "table" }),
    ];
    expect(found.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual(
      expected.schema.fields.map(({ name, type }) => `${name} ${type}`),
    );
    expect(found.toArray().map(String)).toEqual(expected.toArray().map(String));
    let [rows, most] = [0, 0];
    for await (const batch of cluster.sql(
      "SELECT number, repeat('x', 1000) AS x FROM numbers(20000) ORDER BY number",
      [],
      { as: "batches" },
    )) {
      rows += batch.numRows;
      most = Math.max(most, batch.numRows);
    }
    expect([rows, most]).toEqual([20_000, 2048]);
    for await (const batch of cluster.sqlStream("SELECT number FROM numbers(1000000000)")) {
      expect(batch[0]).toEqual({ number: 0 });
      break;
    }
    const left =
      "SELECT count() FROM system.processes WHERE query LIKE '%numbers(1000000000)%' AND query NOT LIKE '%system.processes%'";
    await expect.poll(() => used.node.sql(left), { timeout: 20_000 }).toBe("0");
    const types =
      await cluster.sql(`SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS id, toDateTime('2026-01-02 03:04:05', 'UTC') AS at,
      toDecimal64('1.25', 2) AS exact, toUInt128(5) AS wide, [true] AS flags, (1, 'x') AS pair, map('a', [1]) AS counts,
      toIPv4('1.2.3.4') AS host, CAST('b' AS Enum8('a' = 1, 'b' = 2)) AS kind, toDateTime64('2026-01-02 03:04:05.123456', 6, 'UTC') AS micros`);
    expect(types).toEqual([
      {
        id: "61f0c404-5cb3-11e7-907b-a6006ad3dba0",
        at: "2026-01-02T03:04:05.000Z",
        exact: 1.25,
        wide: 5,
        flags: [true],
        pair: { 1: 1, 2: "x" },
        counts: { a: [1] },
        host: "1.2.3.4",
        kind: "b",
        micros: "2026-01-02T03:04:05.123456Z",
      },
    ]);
  });

  test("ends a query at its limits, on request, and half-way, each by its name", async () => {
    const long = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1";
    await expect(cluster.sql(long, [], { timeoutMs: 300 })).rejects.toMatchObject({ code: "sql_timeout" });
    const abort = new AbortController();
    const stopped = cluster.sql(long, [], { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 100);
    await expect(stopped).rejects.toThrow("enough");
    const large = "SELECT groupArray(toString(number)) AS all FROM numbers(30000000)";
    await expect(cluster.sql(large, [], { memoryLimit: "50MB" })).rejects.toMatchObject({
      code: "sql_memory",
    });
    const half = cluster.sqlStream("SELECT intDiv(1, toInt64(number != 300000)) AS x FROM numbers(400000)");
    await expect(
      (async () => {
        for await (const batch of half) expect(batch.length).toBeGreaterThan(0);
      })(),
    ).rejects.toMatchObject({ code: "sql_failed", message: expect.stringContaining("ivision by zero") });
    for (const [text, params, code] of [
      ["SELECT nothing FROM records", [], "sql_failed"],
      ["SELECT FROM WHERE", [], "sql_syntax"],
      ["SELECT ?", [], "sql_params"],
      ["SELECT 1", [2], "sql_params"],
      ["SELECT $a", { b: 1 }, "sql_params"],
    ] as const)
      await expect(cluster.sql(text, params as never), text).rejects.toMatchObject({
        name: "SqlError",
        code,
      });
    await expect(cluster.sql("SELECT price.current FROM records")).rejects.toMatchObject({
      code: "sql_failed",
      remedy: expect.stringMatching(/^write price_current for price.current: /),
    });
    await expect(cluster.sql("SELECT 1", [], { tables: { mine: [{ a: 1 }] } })).rejects.toMatchObject({
      code: "cluster_unsupported",
    });
  });

  test("counts the time of a query without that of its reader", async () => {
    // More than the ways between can hold, so that the server waits too.
    const large = "SELECT number, repeat('x', 1000) AS x FROM numbers(100000)";
    await cluster.sql("SELECT 1");
    expect(await readSlowly(cluster.sqlStream(large, [], { timeoutMs: 1_500 }), 2_000)).toBe(100_000);
    const endless = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1";
    const slow = cluster.sqlStream(`SELECT number FROM numbers(9000) UNION ALL ${endless}`, [], {
      timeoutMs: 1_000,
    });
    await expect(readSlowly(slow, 1_200)).rejects.toMatchObject({ code: "sql_timeout" });
    const left =
      "SELECT count() FROM system.processes WHERE query LIKE '%numbers(9000)%' AND query NOT LIKE '%system.processes%'";
    await expect.poll(() => used.node.sql(left), { timeout: 20_000 }).toBe("0");
    await expect(readSlowly(cluster.sqlStream(large), 1_000 * SEND_SECONDS + 2_000)).rejects.toMatchObject({
      code: "cluster_unreachable",
      message: expect.stringMatching(/broke off after no row was taken for \d+(\.\d+)? s/),
      remedy: expect.stringContaining("http_send_timeout"),
    });
  });

  test("ends a query by its signal, and at its limit of time, also after its first rows", async () => {
    // Rows come without end: the server may keep the first ones of a query that is then busy without any.
    const flowing = "SELECT number, repeat('x', 100) AS x FROM numbers(100000000000) WHERE number % 50 = 0";
    const large = "SELECT number, repeat('x', 1000) AS x FROM numbers(20000)";
    const busy = "SELECT count(), '' FROM numbers(100000000000) WHERE sipHash64(number) = 1";
    const abort = new AbortController();
    const read = async (stream: AsyncIterable<readonly unknown[]>, onRows: () => void) => {
      for await (const _ of stream) onRows();
    };
    const ended = read(cluster.sqlStream(flowing, [], { signal: abort.signal }), () =>
      abort.abort(new Error("enough")),
    );
    await expect(ended).rejects.toThrow("enough");
    const late = read(cluster.sqlStream(`${large} UNION ALL ${busy}`, [], { timeoutMs: 3_000 }), () => {});
    await expect(late).rejects.toMatchObject({ code: "sql_timeout" });
    const left =
      "SELECT count() FROM system.processes WHERE query LIKE '%numbers(100000000000)%' AND query NOT LIKE '%system.processes%'";
    await expect.poll(() => used.node.sql(left), { timeout: 20_000 }).toBe("0");
  });

  test("exports what a folder exports, and Arrow of records with vectors", async () => {
    const filters = [
      {},
      { langs: ["zh"] },
      { domains: ["social" as const], from: "2026-01-01" },
      { platforms: ["none"] },
    ];
    for (const filter of filters)
      for (const vectors of [false, true]) {
        const tables: unknown[] = [];
        for (const lake of [folder, cluster]) {
          const rows: unknown[] = [];
          let types = "";
          for await (const batch of lake.arrow(filter, { vectors })) {
            types = batch.schema.fields.map(({ name, type }) => `${name} ${type}`).join();
            rows.push(
              ...batch
                .toArray()
                .map((row) =>
                  JSON.stringify(row, (_, v) => (typeof v === "bigint" ? String(v) : (v ?? undefined))),
                ),
            );
          }
          tables.push({
            types: rows.length === 0 ? "" : types,
            rows,
          });
        }
        expect(tables[1]).toEqual(tables[0]);
      }
    for (const format of ["jsonl", "jsonl.gz", "csv", "parquet", "arrow"] as const) {
      const files = [join(used.dir, `folder.${format}`), join(used.dir, `cluster.${format}`)] as const;
      const options = { format, langs: ["zh"], vectors: format !== "csv" };
      const expected = await folder.export(files[0], options);
      const report = await cluster.export(files[1], options);
      expect(report.records).toBe(expected.records);
      const [a, b] = await Promise.all(files.map((file) => readFile(file)));
      if (format === "jsonl" || format === "jsonl.gz") expect(b!.equals(a!)).toBe(true);
      else if (format === "csv") expect(b!.toString()).toBe(a!.toString());
      else {
        const rows = await folder.sql("SELECT * FROM mine ORDER BY id", [], {
          tables: { mine: { file: files[1], format } },
        });
        const wanted = await folder.sql("SELECT * FROM mine ORDER BY id", [], {
          tables: { mine: { file: files[0], format } },
        });
        expect(withoutAbsentLists(rows)).toEqual(withoutAbsentLists(wanted));
      }
    }
    await expect(cluster.export(used.dir, { format: "csv" })).rejects.toMatchObject({
      code: "unwritable_file",
    });
  });

  test("on the command line", async () => {
    const counted = await capture([
      "sql",
      "SELECT count(*) AS n FROM records WHERE lang = ?",
      "--param",
      "zh",
      "--lake",
      address,
      "--json",
    ]);
    expect(counted.code, counted.err).toBe(0);
    expect(JSON.parse(counted.out)).toEqual(
      await folder.sql("SELECT count(*) AS n FROM records WHERE lang = 'zh'"),
    );
    const file = join(used.dir, "told.csv");
    const exported = await capture(["export", "--format", "csv", "--out", file, "--lake", address]);
    expect(exported.code, exported.err).toBe(0);
  });
});

describe("what is no query over the lake", () => {
  test.each(ESCAPES)("refuses %j", async (text) => {
    const database = address.split("/").pop()!;
    const refusal = await cluster.sql(text.replaceAll("DATABASE", database)).then(
      (rows) => ({ code: "answered", rows }),
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ name: "SqlError", remedy: expect.any(String) });
    expect((refusal as { code: string }).code, JSON.stringify(refusal)).toMatch(
      /^sql_(refused|syntax|failed)$/,
    );
  });

  test.each(FOLDER_ESCAPES.map(([text]) => text))("refuses %j, as a lake in a folder does", async (text) => {
    const refusal = await cluster.sql(text).then(
      (rows) => ({ code: "answered", rows }),
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ name: "SqlError", remedy: expect.any(String) });
    expect((refusal as { code: string }).code, JSON.stringify(refusal)).toMatch(
      /^sql_(refused|syntax|failed|memory)$/,
    );
  });

  test("is no harm in a text or a comment", async () => {
    const rows = await cluster.sql(
      "SELECT 'a\\' FROM other.secret; --' AS x /* DROP TABLE records */ -- FORMAT CSV",
    );
    expect(rows).toEqual([{ x: "a' FROM other.secret; --" }]);
  });

  test("is refused by the server's settings too, as far as they reach", async () => {
    const connection = await Connection.open(address, "query");
    const settings = { ...CLICKHOUSE_DEFAULTS.confined, max_execution_time: 5 };
    const refused: string[] = [];
    const done: string[] = [];
    for (const text of BEYOND_READING)
      try {
        for await (const _ of connection.stream(text, {}, { settings }));
        done.push(text);
      } catch (error) {
        refused.push(text);
        expect((error as { cause: { code: string } }).cause.code, text).toMatch(/^\d+$/);
      }
    await connection.close();
    expect(done).toEqual([]);
    expect(refused.length).toBe(BEYOND_READING.length);
  });
});

describe("what was removed", () => {
  test("is in no query, no stream and no export, as in a folder", async () => {
    const slices = join(used.dir, "removed-slices");
    await writeSlices(batches(videos(0, 9)), { out: slices, info: INFO });
    const [lake, other] = [await used.newDatabase(), join(used.dir, "removed-folder")];
    await installClickHouse([slices], { lake });
    await installSlices([slices], { lake: other });
    await using client = await openLake(lake, MEMORY);
    const stream = client.sqlStream(
      "SELECT r.id, n.number FROM records r JOIN numbers(9000) n ON 1 ORDER BY ALL",
    );
    await stream.next();
    const targets: readonly RemovalTarget[] = [
      { kind: "record", id: recordId(3) },
      { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(7, 1) },
    ];
    const before = await client.sql("SELECT id FROM records WHERE has(comment_thread, ?)", [
      commentText(7, 1),
    ]);
    expect(before.length).toBeGreaterThan(0);
    for (const each of [lake, other]) await removeRecords(targets, { lake: each, reason: "asked" });
    await expect(readAll(stream)).rejects.toMatchObject({ code: "removed_meanwhile" });
    await using expected = await openLake(other, { ...MEMORY, exact: true });
    for (const [view, order] of VIEWS) {
      const text = `SELECT * FROM ${view} ORDER BY ${order}`;
      expect(withoutAbsentLists(await client.sql(text)), view).toEqual(
        withoutAbsentLists(await expected.sql(text)),
      );
    }
    const gone = "SELECT count(*) AS n FROM records WHERE id = ? OR has(comment_thread, ?)";
    expect(await client.sql(gone, [recordId(3), commentText(7, 1)])).toEqual([{ n: 0 }]);
    for (const format of ["jsonl", "csv"] as const) {
      const files = [join(used.dir, `a.${format}`), join(used.dir, `b.${format}`)] as const;
      await client.export(files[0], { format });
      await expected.export(files[1], { format });
      const [a, b] = await Promise.all(files.map((file) => readFile(file, "utf8")));
      expect(a!.split("\n").sort()).toEqual(b!.split("\n").sort());
      expect(a).not.toContain(commentText(7, 1));
    }
  });
});

async function readAll(stream: AsyncIterable<unknown[]>): Promise<number> {
  let rows = 0;
  for await (const batch of stream) rows += batch.length;
  return rows;
}

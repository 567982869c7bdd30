import { type LakeClient, openLake } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { LakeView } from "../../src/lake/open/open-view.js";
import { sqlSource } from "../../src/lake/query/lake-sql.js";
import { confineEngine, openEngine } from "../../src/sql/confined-engine.js";
import { mayCall, mayScan } from "../../src/sql/refused-functions.js";
import { planSession } from "../../src/sql/session-plan.js";
import { ownRows, type SqlLimits } from "../../src/sql/sql-session.js";
import { SQL_VIEWS } from "../../src/sql/views.js";
import { readSlowly } from "../support/read-slowly.js";
import type { TemporaryLake } from "../support/sample-lake.js";
import { AWKWARD, AWKWARD_RECORDS, awkwardVector, MODEL, richItems, temporaryRichLake } from "./rich-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
beforeAll(async () => {
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

/** The engine that queries run in, not confined yet. */
async function engine(limits: SqlLimits = {}) {
  const source = sqlSource(lake.lake as unknown as LakeView);
  const plan = planSession(source, limits);
  return { plan, db: await openEngine(plan, source.vectors) };
}

const items = richItems();
const records = items.flatMap((item) => (item.kind === "record" ? [item.record] : []));
const raws = (resource: string) =>
  items.flatMap((item: SliceItem) =>
    item.kind === "raw" && item.raw.resource === resource ? [item.raw] : [],
  );

describe("the views hold what the lake holds", () => {
  test("records, counted and summed by hand", async () => {
    const social = records.filter(({ src }) => src === "social");
    const likes = social.reduce((sum, { metrics }) => sum + (metrics?.likes ?? 0), 0);
    expect(
      await lake.sql(
        "SELECT src, count(*) AS n, sum(metrics_likes) AS likes FROM records GROUP BY src ORDER BY src",
      ),
    ).toEqual([
      { src: "ecommerce", n: records.filter(({ src }) => src === "ecommerce").length, likes: null },
      { src: "social", n: social.length, likes },
      { src: "web", n: records.filter(({ src }) => src === "web").length, likes: null },
    ]);
  });

  test("a record, column by column", async () => {
    const [row] = await lake.sql("SELECT * FROM records WHERE id = ?", ["web_doc_awkward-2"]);
    const record = AWKWARD_RECORDS[2]!;
    // Columns of further keys of extra follow those that are documented.
    expect(Object.keys(row!)).toEqual([
      ...SQL_VIEWS[0]!.columns.map(({ name }) => name),
      "extra_note",
      "extra_tags",
    ]);
    expect(row).toMatchObject({
      id: record.id,
      src: "web",
      lang: "zh-Hant",
      text: AWKWARD[2],
      entities: [AWKWARD[2], "second"],
      sentiment_score: -0.25,
      sentiment_label: "negative",
      extra_outlet_tier: 2,
      extra_other: JSON.stringify({ note: AWKWARD[2], tags: [AWKWARD[2]] }),
      metrics_likes: null,
      prov_hash: record.prov.hash,
      prov_ts: "2026-04-12T08:30:00.250+08:00",
      captured_at: "2026-04-12T00:30:00.250Z",
      slice: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("comments, with their tree", async () => {
    const rows = await lake.sql(
      "SELECT count(*) AS n, sum(likes) AS likes, max(created_at) AS newest FROM comments WHERE item_id = $video AND reply_to IS NULL",
      { video: SAMPLES.itemId },
    );
    const own = raws("comment").filter(
      (raw) => raw.parent === SAMPLES.itemId && raw.reply_to === undefined && raw.platform === "short-video",
    );
    expect(own).toHaveLength(SAMPLES.commentCount);
    expect(rows).toEqual([
      {
        n: own.length,
        likes: own.reduce((sum, { data }) => sum + Number(data.likes), 0),
        newest: own
          .map((raw) => raw.created_at!)
          .sort()
          .at(-1),
      },
    ]);
  });

  test("videos and prices", async () => {
    const [video] = await lake.sql("SELECT * FROM videos WHERE item_id = ?", [SAMPLES.itemId]);
    expect(video).toMatchObject({
      platform: "short-video",
      likes: 50,
      plays: 900,
      video_dur_s: 15,
      topic: "lanterns",
    });
    const prices = await lake.sql(
      "SELECT price, currency, priced_at FROM prices ORDER BY priced_at, platform, product_id",
    );
    expect(prices).toHaveLength(raws("price").length);
    expect(prices.at(-1)).toMatchObject({ price: 11, currency: "USD" });
  });

  test("vectors: the downloaded one with its model, else the local one", async () => {
    const rows = await lake.sql(
      "SELECT id, model, vec FROM vectors WHERE starts_with(id, 'web_doc_') ORDER BY id",
    );
    expect(rows).toHaveLength(AWKWARD.length);
    for (const [i, row] of rows.entries()) {
      const downloaded = i < AWKWARD.length - 1;
      expect(row.model).toBe(downloaded ? MODEL : lake.lake.index.embedderId);
      if (downloaded) expect(Float32Array.from(row.vec as number[])).toEqual(awkwardVector(i));
    }
    const [count] = await lake.sql("SELECT count(*) AS n FROM vectors");
    expect(count).toEqual({ n: records.length });
    const [similar] = await lake.sql(
      `SELECT array_inner_product(a.vec, b.vec) AS score FROM vectors a, vectors b
       WHERE a.id = 'web_doc_awkward-0' AND b.id = 'web_doc_awkward-1'`,
    );
    expect(similar!.score).toBeCloseTo(0.64, 6);
  });

  test("vectors of rows in any order, downloaded and local ones", async () => {
    const { index } = lake.lake as unknown as LakeView;
    const every = Array.from({ length: records.length }, (_, row) => row);
    for (const rows of [every, [...every].reverse(), [3, 4, 5, 4, 5, 6, 0], []]) {
      const read = new Float32Array(rows.length * 1536);
      index.vectorsInto(rows, read);
      const one = rows.map((row) => index.vector(row));
      expect(rows.map((_, i) => read.subarray(i * 1536, (i + 1) * 1536))).toEqual(one);
    }
  });

  test("rows with vectors come in small pieces to those who write them", async () => {
    const source = sqlSource(lake.lake as unknown as LakeView);
    const sql = "SELECT id, vec FROM vectors, range(300) ORDER BY id LIMIT 300";
    const lengths: number[] = [];
    for await (const rows of ownRows(source, sql, [], {})) lengths.push(rows.length);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(300);
    expect(Math.max(...lengths)).toBeLessThan(100);
  });

  test("slices", async () => {
    const rows = await lake.sql("SELECT sum(records) AS records, sum(vectors) AS vectors FROM slices");
    expect(rows).toEqual([{ records: records.length, vectors: AWKWARD.length - 1 }]);
    const [one] = await lake.sql(
      "SELECT title, licence, vector_model FROM slices WHERE platform = 'web-docs' LIMIT 1",
    );
    expect(one).toEqual({ title: "Rich", licence: "CC0-1.0", vector_model: MODEL });
  });

  test.each(SQL_VIEWS.map(({ name }) => name))(
    "%s has the columns and types that are documented",
    async (name) => {
      const described = await lake.sql(`DESCRIBE ${name}`);
      const { columns } = SQL_VIEWS.find((view) => view.name === name)!;
      const found = described.map((row) => [row.column_name, row.column_type]);
      expect(found.slice(0, columns.length)).toEqual(columns.map((column) => [column.name, column.type]));
      expect(found.slice(columns.length).length).toBe(name === "records" ? 2 : 0);
      expect(columns.filter(({ meaning }) => meaning === "")).toEqual([]);
    },
  );
});

/** Ordinary analysis, of every shape that the language has. */
const ORDINARY = [
  "SELECT 1",
  "SELECT 1;",
  "/* a */ SELECT 1 -- b",
  "FROM records LIMIT 1",
  "TABLE records",
  "VALUES (1, 'a'), (2, 'b')",
  "DESCRIBE SELECT id FROM records",
  "SUMMARIZE SELECT metrics_likes FROM records",
  "SELECT r.id FROM records r JOIN comments c ON c.platform = r.platform AND r.id LIKE '%' || c.item_id LIMIT 3",
  "SELECT DISTINCT ON (lang) lang, id FROM records ORDER BY lang, id",
  "SELECT lang, platform, count(*) FROM records GROUP BY CUBE (lang, platform)",
  "SELECT lang, count(*) FILTER (WHERE src = 'web') FROM records GROUP BY ALL HAVING count(*) > 1",
  "SELECT id, row_number() OVER (PARTITION BY lang ORDER BY captured_at DESC) AS n FROM records QUALIFY n = 1",
  "SELECT entity, count(*) FROM (SELECT unnest(entities) AS entity FROM records) GROUP BY entity ORDER BY 2 DESC",
  "SELECT e.entity FROM records, unnest(entities) AS e(entity) LIMIT 2",
  "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
  "WITH RECURSIVE records AS (SELECT id FROM records UNION ALL SELECT id FROM Records WHERE false) SELECT count(*) FROM records",
  "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL (WITH u AS (FROM t) SELECT n + 1 FROM u WHERE n < 5)) FROM t",
  "WITH a AS (SELECT id FROM records), b AS (FROM a) SELECT count(*) FROM b",
  "SELECT list_transform(entities, x -> upper(x)) FROM records WHERE entities IS NOT NULL",
  "SELECT [upper(x) FOR x IN entities IF x <> ''] FROM records WHERE entities IS NOT NULL",
  "SELECT date_trunc('day', captured_at) AS day, count(*) FROM records GROUP BY day ORDER BY day",
  "SELECT * EXCLUDE (text) REPLACE (upper(id) AS id) FROM records LIMIT 1",
  "SELECT COLUMNS('metrics_.*') FROM records LIMIT 1",
  "SELECT id FROM records WHERE platform IN (SELECT platform FROM slices) LIMIT 1",
  "SELECT id FROM records WHERE EXISTS (SELECT 1 FROM comments c WHERE c.platform = records.platform) LIMIT 1",
  "SELECT CASE WHEN metrics_likes > 50 THEN 'much' ELSE 'little' END FROM records LIMIT 1",
  "SELECT CAST(captured_at AS DATE), extra_other::JSON ->> '$.note' FROM records LIMIT 1",
  "SELECT key, value FROM records, json_each(extra_other) WHERE extra_other IS NOT NULL LIMIT 2",
  "SELECT * FROM records USING SAMPLE 3",
  "SELECT id FROM records ORDER BY id COLLATE NOCASE LIMIT 10%",
  "SELECT quantile_cont(metrics_likes, [0.1, 0.5, 0.9]) FROM records",
  "SELECT id FROM records UNION ALL BY NAME SELECT id FROM vectors LIMIT 5",
  "SELECT * FROM (VALUES (1), (2)) t(x) POSITIONAL JOIN range(2) s(y)",
  "SELECT a.id FROM records a ASOF JOIN records b ON a.lang = b.lang AND a.captured_at >= b.captured_at LIMIT 1",
  "FROM records PIVOT (count(*) FOR src IN ('social', 'web'))",
  "SELECT regexp_extract(id, '^[a-z]+') AS prefix, count(*) FROM records GROUP BY 1",
  "SELECT now() > captured_at, pg_typeof(id), {'a': 1, 'b': [2]} AS s, MAP {'k': 1} AS m FROM records LIMIT 1",
];

test.each(ORDINARY)("an ordinary query is answered: %s", async (sql) => {
  const rows = await lake.sql(sql);
  expect(rows.length).toBeGreaterThan(0);
  const table = await lake.sql(sql, [], { as: "table" });
  if (!/sample/i.test(sql)) expect(table.numRows).toBe(rows.length);
});

test("no value of a row is lost, whatever has which name or none", async () => {
  const [row] = await lake.sql(
    `SELECT (1, 'x') AS pair, row(NULL, [1]) AS "row", list_zip([1, 2], ['a', 'b']) AS zipped, {'a': (1, 2)} AS deep,
      7 AS "__proto__", {'__proto__': 1, 'b': 2} AS named, MAP {'__proto__': 1} AS "map"`,
  );
  expect(Object.keys(row!)).toEqual(["pair", "row", "zipped", "deep", "__proto__", "named", "map"]);
  expect(JSON.stringify(row)).toBe(
    '{"pair":[1,"x"],"row":[null,[1]],"zipped":[[1,"a"],[2,"b"]],"deep":{"a":[1,2]},"__proto__":7,' +
      '"named":{"__proto__":1,"b":2},"map":{"__proto__":1}}',
  );
  expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
});

test("no entry of a map is lost, whatever its keys are", async () => {
  const [row] = await lake.sql(
    `SELECT MAP {{'p': 'a', 'l': NULL}: 1, {'p': 'a', 'l': [2]}: 2} AS structs, MAP {[1, 2]: 1, [12]: 2} AS lists,
      MAP {'x\\x00'::BLOB: 1, '120,0'::BLOB: 2} AS bytes, MAP {{'d': 'nan'::DOUBLE}: 1, {'d': 'inf'::DOUBLE}: 2} AS doubles,
      MAP {MAP {1: 2}: 1} AS maps, MAP {(1, 'x'): 1} AS rows, MAP {9007199254740993: 1, 2: 2} AS numbers, MAP {true: 1} AS flags,
      MAP {1::UNION(n INTEGER, t VARCHAR): 1, '1'::UNION(n INTEGER, t VARCHAR): 2} AS unions, MAP {DATE '2026-05-29': 1} AS dates`,
  );
  expect(row).toEqual({
    structs: { '{"p":"a","l":null}': 1, '{"p":"a","l":[2]}': 2 },
    lists: { "[1,2]": 1, "[12]": 2 },
    bytes: { "x\\x00": 1, "120,0": 2 },
    doubles: { '{"d":"NaN"}': 1, '{"d":"Infinity"}': 2 },
    maps: { '{"1":2}': 1 },
    rows: { '[1,"x"]': 1 },
    numbers: { "9007199254740993": 1, 2: 2 },
    flags: { true: 1 },
    unions: { 1: 1, "1 (2)": 2 },
    dates: { "2026-05-29": 1 },
  });
});

test("infinite dates are named as infinite instants are", async () => {
  expect(
    await lake.sql(
      "SELECT 'infinity'::DATE AS d, '-infinity'::DATE AS e, 'infinity'::TIMESTAMP AS t, ['infinity'::DATE, '2026-05-29'] AS l",
    ),
  ).toEqual([{ d: "infinity", e: "-infinity", t: "infinity", l: ["infinity", "2026-05-29"] }]);
});

test("instants beyond those of a Date, and nanoseconds before 1970, are what they are", async () => {
  const text = `SELECT TIMESTAMP '290000-01-01' AS late, TIMESTAMPTZ '290000-03-01 12:00:00.5+00' AS zoned,
    TIMESTAMP '275760-09-13 00:00:00.000001' AS next, TIMESTAMP '-290000-02-29 00:00:00.000001' AS early, TIMESTAMP_NS '1960-01-01 00:00:00.123456789' AS old,
    TIMESTAMP_NS '2020-01-01 00:00:00.123456789' AS new, 'infinity'::TIMESTAMP_NS AS ns, '-infinity'::TIMESTAMP_S AS s, 'infinity'::TIMESTAMP_MS AS ms`;
  const [row] = await lake.sql(text);
  expect(row).toEqual({
    late: "+290000-01-01T00:00:00.000",
    zoned: "+290000-03-01T12:00:00.500Z",
    next: "+275760-09-13T00:00:00.000001",
    early: "-290000-02-29T00:00:00.000001",
    old: "1960-01-01T00:00:00.123456",
    new: "2020-01-01T00:00:00.123456",
    ns: "infinity",
    s: "-infinity",
    ms: "infinity",
  });
  const table = await lake.sql("SELECT epoch_us(TIMESTAMP_NS '1960-01-01 00:00:00.123456000') AS n", [], {
    as: "table",
  });
  const old = "SELECT TIMESTAMP_NS '1960-01-01 00:00:00.123456789' AS t";
  const arrow = await lake.sql(old, [], { as: "table" });
  expect(arrow.batches[0]!.getChildAt(0)!.data[0]!.values[0]).toBe(table.get(0)!.n);
});

describe("the engine is confined by itself, were a query not checked", () => {
  test.each([
    "COPY records TO 'stolen.csv'",
    "COPY records FROM '/etc/passwd'",
    "ATTACH 'other.duckdb' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "EXPORT DATABASE 'stolen'",
    "FROM read_text('/etc/passwd')",
    "FROM read_csv('/etc/passwd')",
    "FROM '/etc/passwd'",
    "FROM glob('/*')",
    "SET enable_external_access = true",
    "SET memory_limit = '100GB'",
    "RESET lock_configuration",
    "DELETE FROM corpus.records",
    "CREATE TABLE corpus.t AS SELECT 1",
    "SELECT getenv('HOME')",
  ])("%s", async (sql) => {
    const { db, plan } = await engine({ memoryLimit: "128MB" });
    try {
      await confineEngine(db, plan);
      await expect(db.rows(sql)).rejects.toMatchObject({ name: "DatabaseError" });
      expect(await db.rows("SELECT count(*) AS n FROM records")).toEqual([{ n: records.length }]);
    } finally {
      await db.close();
    }
  });
});

describe("limits and errors", () => {
  const ENDLESS = "SELECT count(*) FROM range(1000000) a, range(1000000) b";

  test("time", async () => {
    await expect(lake.sql(ENDLESS, [], { timeoutMs: 50 })).rejects.toMatchObject({ code: "sql_timeout" });
    await expect(lake.sql(ENDLESS, [], { timeoutMs: 0 })).rejects.toMatchObject({ code: "sql_timeout" });
    expect(await lake.sql("SELECT 1 AS one", [], { timeoutMs: Number.POSITIVE_INFINITY })).toEqual([
      { one: 1 },
    ]);
  });

  test("time, but not that of a reader", async () => {
    // The process and its engine are there.
    await lake.sql("SELECT 1");
    const whole = "SELECT range AS n FROM range(50000)";
    // Longer than the query may take, and than its process waits for its parent beyond that.
    expect(await readSlowly(lake.sqlStream(whole, [], { timeoutMs: 2_000 }), 2_700)).toBe(50_000);
    const slow = lake.sqlStream(`${whole} UNION ALL (${ENDLESS})`, [], { timeoutMs: 300 });
    await expect(readSlowly(slow, 400)).rejects.toMatchObject({ code: "sql_timeout" });
  });

  test("memory", async () => {
    const hungry = "SELECT array_agg(range::VARCHAR) FROM range(20000000)";
    await expect(lake.sql(hungry, [], { memoryLimit: "64MB" })).rejects.toMatchObject({ code: "sql_memory" });
    await expect(lake.sql("SELECT 1", [], { memoryLimit: "lots" })).rejects.toMatchObject({
      name: "UsageError",
      code: "invalid_memory_limit",
    });
  });

  test.each([
    "SELECT repeat('x', 2000000000)",
    "SELECT main.repeat('x', 2000000000)",
    "SELECT repeat([1, 2], 1000000)",
    "SELECT REPEAT(id, 1000000) FROM records",
    "SELECT lpad('x', 800000000, 'y') || rpad('x', 800000000, 'y')",
    "SELECT replace(repeat('x', 60000), 'x', repeat('y', 60000))",
    "SELECT regexp_replace(repeat('x', 60000), 'x', repeat('y', 60000), 'g')",
    "SELECT len(range(300000000))",
    "SELECT len(range(-300000000, 0))",
    "SELECT len(generate_series(0, 1000000000000, 2))",
    "SELECT len(generate_series(0, -1000000000000, -2))",
    "SELECT len(generate_series(DATE '2000-01-01', DATE '2026-01-01', INTERVAL 1 SECOND))",
    "SELECT * FROM unnest(range(300000000))",
    "SELECT len(list_resize([1], 300000000, 0)), len(array_resize([1], 300000000))",
    "SELECT bitstring('1', 2000000000)",
    "SELECT list_transform([1], x -> repeat('x', 1000000 * x))",
  ])("a value that one call would make too large: %s", async (sql) => {
    await expect(lake.sql(sql)).rejects.toMatchObject({
      code: "sql_memory",
      message: /Value too large: \w+ may/,
    });
  });

  test("functions that could make too much make what is asked for", async () => {
    const [row] = await lake.sql(
      `SELECT repeat('ab', 3) AS a, repeat([1], 2) AS b, lpad('7', 3, '0') AS c, rpad('x', 3, '-') AS d, range(3) AS e,
        replace('hello', 'l', 'L') AS f, regexp_replace('a1b2', '\\d', '', 'g') AS g, regexp_replace('a1', '\\d', '') AS h,
        generate_series(5, 1, -2) AS i, list_resize([1], 2) AS j, list_resize([1], 2, 9) AS k, printf('%05.1f', 2.5) AS l,
        generate_series(DATE '2026-01-30', DATE '2026-03-01', INTERVAL 1 MONTH)::DATE[]::VARCHAR AS m, range(1, 3) AS n,
        format('{:>4}|{}', 'x', 1) AS o, repeat(NULL, 3) AS p, range(NULL) AS q, [1, 2] AS r, bitstring('1', 3)::VARCHAR AS s`,
    );
    expect(Object.values(row!)).toEqual([
      "ababab",
      [1, 1],
      "007",
      "x--",
      [0, 1, 2],
      "heLLo",
      "ab",
      "a",
      [5, 3, 1],
      [1, null],
      [1, 9],
      "002.5",
      "[2026-01-30, 2026-02-28]",
      [1, 2],
      "   x|1",
      null,
      null,
      [1, 2],
      "001",
    ]);
    const counted = await lake.sql(
      "SELECT count(*) AS n FROM range(100000) UNION ALL SELECT count(*) FROM repeat(1, 100000)",
    );
    expect(counted).toEqual([{ n: 100_000 }, { n: 100_000 }]);
  });

  test("a signal", async () => {
    const reason = new Error("enough");
    await expect(lake.sql(ENDLESS, [], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const asked = lake.sql(ENDLESS, [], { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test.each([
    ["SELEC 1", [], "sql_syntax"],
    ["SELECT nothing FROM records", [], "sql_failed"],
    ["SELECT no_such_function(1)", [], "sql_failed"],
    ["SELECT 'x'::INTEGER", [], "sql_failed"],
    ["SELECT ?", [], "sql_params"],
    ["SELECT ?", [1, 2], "sql_params"],
    ["SELECT $a", { b: 1 }, "sql_params"],
    ["SELECT (".repeat(2000), [], "sql_syntax"],
  ] as const)("%s is an error of its own", async (sql, params, code) => {
    await expect(lake.sql(sql, params)).rejects.toMatchObject({ name: "SqlError", code });
  });

  test.each([
    ["SELECT price.current FROM records", "write price_current for price.current: "],
    ["SELECT count(*) FROM records WHERE Metrics.likes > 1", "write metrics_likes for Metrics.likes: "],
    ["SELECT 'price.current', metrics.nothing FROM records", "check the query; "],
    ["SELECT price.current, nothing FROM (SELECT 1 AS current) AS price", "check the query; "],
  ])("%s is told the column", async (sql, remedy) => {
    await expect(lake.sql(sql)).rejects.toMatchObject({
      code: "sql_failed",
      remedy: expect.stringMatching(new RegExp(`^${remedy}`)),
    });
  });

  test("parameters of every type", async () => {
    const values = [null, true, 7, 1.5, 9_007_199_254_740_993n, "it's; --", ["a", null], [1, 2]];
    const [row] = await lake.sql(`SELECT ${values.map((_, i) => `$${i + 1} AS c${i}`).join(", ")}`, values);
    expect(Object.values(row!)).toEqual(values);
    const [again] = await lake.sql("SELECT $x || $y || $x AS text", { x: "a", y: "b" });
    expect(again).toEqual({ text: "aba" });
  });

  test.each([
    [[null, 7]],
    [[null, 1.5, 2]],
    [[1, 9_007_199_254_740_991]],
    [[null, 9_007_199_254_740_993n]],
    [[null, true, false]],
    [[null, "a"]],
    [[null]],
    [[]],
  ])("a list is what all its values are: %o", async (list) => {
    expect(await lake.sql("SELECT ? AS list", [list])).toEqual([{ list }]);
  });

  test("a list of values that no one type has is refused, by name", async () => {
    for (const list of [[1, "a"], [null, true, 2], [new Uint8Array([1])]])
      await expect(lake.sql("SELECT ?", [list] as never)).rejects.toMatchObject({ code: "sql_params" });
  });

  test("a whole number beyond 64 bits, and a list of several types, are refused with what is wrong", async () => {
    for (const param of [2n ** 63n, -(2n ** 63n) - 1n, [1, 2n ** 63n]])
      await expect(lake.sql("SELECT ? AS n", [param])).rejects.toMatchObject({
        code: "sql_params",
        message: expect.stringContaining("which 64 bits do not hold"),
      });
    expect(await lake.sql("SELECT ? AS n", [-(2n ** 63n)])).toEqual([{ n: -(2n ** 63n) }]);
    await expect(lake.sql("SELECT ?", [[1, "a", null]])).rejects.toMatchObject({
      code: "sql_params",
      message: "Parameter 1 is a list of a number and a string",
    });
  });

  test("a stream that is left early lets go of the lake", async () => {
    for await (const batch of lake.sqlStream("SELECT * FROM range(1000000)")) {
      expect(batch).toHaveLength(2048);
      break;
    }
    for await (const batch of lake.sql("SELECT * FROM range(1000000)", [], { as: "batches" })) {
      expect(batch.numRows).toBe(2048);
      break;
    }
  });
});

test("every function of the engine that queries may call has been looked at", async () => {
  const { db } = await engine();
  try {
    const rows = await db.rows<{ name: string; kind: string }>(
      "SELECT DISTINCT function_name AS name, function_type AS kind FROM duckdb_functions() ORDER BY ALL",
    );
    const callable = rows.filter(({ name, kind }) => /scalar|aggregate|^macro/.test(kind) && mayCall(name));
    const suspicious =
      /setting|env|file(?!name)|secret|glob|read|write|copy|attach|load|install|pragma|duckdb|query|plan|profil|log_|sleep|user_agent|connection|transaction(?!_timestamp)|checkpoint|variable|metadata/;
    expect(callable.map(({ name }) => name).filter((name) => suspicious.test(name))).toEqual([]);
    const scannable = rows.filter(({ name, kind }) => kind.startsWith("table") && mayScan(name));
    expect([...new Set(scannable.map(({ name }) => name))]).toEqual([
      "generate_series",
      "json_each",
      "json_tree",
      "range",
      "repeat",
      "unnest",
    ]);
  } finally {
    await db.close();
  }
});

test("an Arrow table holds what the rows hold", async () => {
  const sql = `SELECT * FROM (VALUES
    (true, 1::TINYINT, 2::UBIGINT, -3::HUGEINT, 1.25, 0.5::FLOAT, 'é', DATE '2026-05-29', [1, NULL], {'a': 'x', 'b': [1.5]}, '\\x00'::BLOB),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (false, -1, 0, 5, -0.5, -0.5, '', DATE '1969-12-31', [], {'a': NULL, 'b': []}, ''::BLOB)) t(a, b, c, d, e, f, g, h, i, j, k)`;
  const table = await lake.sql(sql, [], { as: "table" });
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    "Bool",
    "Int8",
    "Uint64",
    "Int64",
    "Float64",
    "Float32",
    "Utf8",
    "Date32<DAY>",
    "List<Int32>",
    "Struct<{a:Utf8, b:List<Float64>}>",
    "Binary",
  ]);
  const column = (name: string) => JSON.parse(JSON.stringify([...table.getChild(name)!], big)) as unknown[];
  const big = (_key: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  expect(column("a")).toEqual([true, null, false]);
  expect(column("b")).toEqual([1, null, -1]);
  expect(column("c")).toEqual([2, null, 0]);
  expect(column("d")).toEqual([-3, null, 5]);
  expect(column("e")).toEqual([1.25, null, -0.5]);
  expect(column("g")).toEqual(["é", null, ""]);
  expect(column("h")).toEqual([Date.UTC(2026, 4, 29), null, -86_400_000]);
  expect(column("i")).toEqual([[1, null], null, []]);
  expect(column("j")).toEqual([{ a: "x", b: [1.5] }, null, { a: null, b: [] }]);
  const huge = "SELECT 170141183460469231731687303715884105727::HUGEINT AS n";
  await expect(lake.sql(huge, [], { as: "table" })).rejects.toMatchObject({
    name: "SqlError",
    code: "sql_overflow",
    value: 170141183460469231731687303715884105727n,
  });
});

test("queries run side by side, each with limits of its own", async () => {
  const counts = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      lake.sql("SELECT count(*) AS n FROM records WHERE length(id) > ?", [0], { memoryLimit: `${64 + i}MB` }),
    ),
  );
  for (const rows of counts) expect(rows).toEqual([{ n: records.length }]);
});

test("a stream tells the columns before its rows, also without one", async () => {
  for (const [rows, end] of [
    [2, ""],
    [0, " WHERE false"],
  ] as const) {
    const told: unknown[] = [];
    const text = `SELECT range AS n, 1.5::DECIMAL(18,2) AS d, 'x' AS t FROM range(2)${end}`;
    const stream = lake.sqlStream(text, [], { onColumns: (columns) => told.push(columns) });
    for await (const batch of stream) told.push(batch.length);
    const columns = ["n BIGINT", "d DECIMAL(18,2)", "t VARCHAR"].map((column) => {
      const [name, type] = column.split(" ");
      return { name, type };
    });
    expect(told).toEqual(rows === 0 ? [columns] : [columns, rows]);
  }
});

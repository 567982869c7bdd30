import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { checkQuery } from "../../src/sql/check-query.js";
import { runs } from "../support/campaign.js";

/** An engine with a table that queries may read, and one with others besides that they may not. */
let open: Database;
let secretive: Database;
beforeAll(async () => {
  [open, secretive] = await Promise.all([Database.open(":memory:"), Database.open(":memory:")]);
  for (const db of [open, secretive]) await db.run("CREATE TABLE open AS SELECT 1 AS v");
  for (const name of ["secret", "hidden"]) await secretive.run(`CREATE TABLE ${name} AS SELECT 777 AS v`);
});
afterAll(async () => {
  await open?.close();
  await secretive?.close();
});

const name = fc.constantFrom(
  "secret",
  "SECRET",
  '"secret"',
  '"\u017fecret"',
  "hidden",
  "HIDDEN",
  '"h\u0130dden"',
  "open",
  "x",
);
const depth = { maxDepth: 4, depthIdentifier: "query" };

/** Queries whose CTEs have the names of tables, nested and recursive. */
const { query } = fc.letrec<{ query: string; body: string; cte: string }>((tie) => ({
  query: fc.oneof(
    depth,
    name.map((from) => `SELECT v FROM ${from}`),
    fc.constant("SELECT 1 AS v"),
    fc
      .tuple(
        fc.constantFrom("WITH", "WITH RECURSIVE", "WITH RECURSIVE"),
        fc.array(tie("cte"), { minLength: 1, maxLength: 2, ...depth }),
        tie("query"),
      )
      .map(([begin, ctes, rest]) => `${begin} ${ctes.join(", ")} ${rest}`),
    fc
      .tuple(tie("query"), fc.constantFrom("UNION ALL", "UNION", "EXCEPT"), tie("query"))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
    fc.tuple(tie("query"), name).map(([inner, alias]) => `SELECT v FROM (${inner}) ${alias}`),
    fc.tuple(tie("query"), name).map(([inner, from]) => `SELECT (${inner} LIMIT 1) AS v FROM ${from}`),
    fc
      .tuple(tie("query"), name)
      .map(([inner, from]) => `SELECT one.v FROM ${from} one, LATERAL (${inner}) two`),
  ),
  body: fc.oneof(
    depth,
    tie("query"),
    fc
      .tuple(tie("query"), fc.constantFrom("UNION ALL", "UNION"), tie("query"))
      .map(([first, operator, next]) => `(${first}) ${operator} (SELECT v FROM (${next}) WHERE false)`),
  ),
  cte: fc
    .tuple(name, fc.constantFrom("", "MATERIALIZED ", "NOT MATERIALIZED "), tie("body"))
    .map(([key, how, body]) => `${key}(v) AS ${how}(${body})`),
}));

test("a query that is let through reads no table that it may not, whatever its CTEs are named", {
  tags: "slow",
}, async () => {
  await fc.assert(
    fc.asyncProperty(query, async (sql) => {
      try {
        await checked(sql);
      } catch {
        return;
      }
      expect(await answer(secretive, sql)).toEqual(await answer(open, sql));
    }),
    runs(1500),
  );
});

test("names are told apart as the engine tells them apart, in every alphabet", {
  tags: "slow",
}, async () => {
  for (const [letter, other] of cased()) {
    const sql = `WITH "a${letter}" AS (SELECT 1 AS v) SELECT v FROM "a${other}"`;
    const answered = Array.isArray(await answer(open, sql));
    const passed = await checked(sql).then(
      () => true,
      (error) => {
        expect(error).toMatchObject({ code: "sql_refused", value: `a${other}` });
        return false;
      },
    );
    expect({ sql, passed }).toEqual({ sql, passed: answered });
  }
});

test("the Kelvin sign is no k: such a CTE stands for no table of the engine", async () => {
  for (const table of ["duckdb_databases", "duckdb_tables", "duckdb_views"]) {
    const sql = `WITH "${table.replace("k", "\u212a")}" AS (SELECT 1) SELECT * FROM ${table}`;
    await expect(checked(sql)).rejects.toMatchObject({ code: "sql_refused", value: table });
  }
});

/** Letters with those that they are in another case: é and É, the Kelvin sign and k. */
function* cased(): Generator<readonly [letter: string, other: string]> {
  for (let code = 0x41; code < 0x1_0000; code++) {
    const letter = String.fromCharCode(code);
    for (const other of new Set([letter.toLowerCase(), letter.toUpperCase()]))
      if (/\p{L}/u.test(letter) && other !== letter && other.length === 1) yield [letter, other];
  }
}

/** Passes a query that may read the table `open`. */
async function checked(sql: string): Promise<void> {
  const [parsed] = await open.rows<{ tree: string }>("SELECT json_serialize_sql(?::VARCHAR) AS tree", [sql]);
  checkQuery(parsed!.tree, new Set(["open"]));
}

async function answer(db: Database, sql: string): Promise<unknown> {
  try {
    return (await db.rows<{ v: number }>(sql)).map(({ v }) => v).sort();
  } catch (error) {
    return (error as Error).message;
  }
}

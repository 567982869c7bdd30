import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { type ServedConsole, serveConsole } from "./open-console.js";

let lake: TemporaryLake;
let served: ServedConsole;
let cookie: string;
beforeAll(async () => {
  lake = await temporarySampleLake();
  served = await serveConsole(lake.path);
  const answer = await ask("POST", "session", { token: served.token });
  cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
});
afterAll(async () => {
  expect(served?.errors ?? []).toEqual([]);
  await served?.close();
  await lake?.remove();
});

function ask(method: string, path: string, body?: unknown, url = served.url): Promise<Response> {
  const headers = { origin: url, "content-type": "application/json", cookie: cookie ?? "" };
  return fetch(`${url}/console/api/${path}`, { method, headers, body: JSON.stringify(body) });
}

interface Result {
  readonly id: number;
  readonly columns: readonly string[];
  readonly numeric: readonly boolean[];
  readonly page: { readonly rows: readonly (readonly unknown[])[] };
}

const query = async (text: string) => (await (await ask("POST", "sql", { text })).json()) as Result;
const file = async (text: string, format: string) =>
  (await ask("GET", `sql/file?id=${(await query(text)).id}&format=${format}`)).text();

const VALUES = `SELECT -9007199254740993 AS big, sum(-1.5::DECIMAL(18,2)) AS d, '-inf'::DOUBLE AS inf, '' AS e, NULL AS n,
  {'a': 9007199254740993} AS s, '\\xAA\\x00'::BLOB AS b, (SELECT list(range) FROM range(100)) AS l, '-text' AS t`;

describe("the download of a result", () => {
  test("as CSV has every value whole, and takes no number for a formula", async () => {
    const list = JSON.stringify(Array.from({ length: 100 }, (_, i) => i));
    expect(await file(VALUES, "csv")).toBe(
      `big,d,inf,e,n,s,b,l,t\n-9007199254740993,-1.50,-Infinity,"",,"{""a"":9007199254740993}",\\xAA\\x00,"${list}",'-text\n`,
    );
  });

  test("as JSON Lines keeps structures, bytes and long lists", async () => {
    const [line, ...rest] = (await file(VALUES, "jsonl")).split("\n");
    expect(rest).toEqual([""]);
    expect(line).toContain('"big":-9007199254740993,');
    const row = JSON.parse(line!);
    expect(row).toMatchObject({ d: "-1.50", e: "", n: null, b: [0xaa, 0], t: "-text" });
    expect(row.s).toEqual({ a: Number(9007199254740993n) });
    expect(row.l).toHaveLength(100);
  });

  test("is never that of a result of the server before, which a page still shows", async () => {
    const before = await query("SELECT 'before' AS server");
    const again = await serveConsole(lake.path);
    const opened = await ask("POST", "session", { token: again.token }, again.url);
    cookie = `${cookie}; ${opened.headers.get("set-cookie")!.split(";")[0]}`;
    for (let n = 0; n < 3; n++) await ask("POST", "sql", { text: "SELECT 'after' AS server" }, again.url);
    const download = await ask("GET", `sql/file?id=${before.id}&format=csv`, undefined, again.url);
    await again.close();
    expect([download.status, await download.json()]).toMatchObject([
      410,
      { error: { code: "console_result_gone", remedy: "Run the query again." } },
    ]);
  });

  test("has its header without a row", async () => {
    const empty = "SELECT id, title FROM records WHERE false";
    expect(await file(empty, "csv")).toBe("id,title\n");
    expect(await file(empty, "jsonl")).toBe("");
  });
});

describe("a download that is given up", () => {
  const MANY = "SELECT range AS n, md5(range::VARCHAR) AS m FROM range(20000000)";

  test("frees its place at once, whether it was read or not, and is no error", async () => {
    const { id } = await query(MANY);
    const stops = Array.from({ length: 4 }, () => new AbortController());
    const readers = await Promise.all(
      stops.map(async ({ signal }) => {
        const answer = await fetch(`${served.url}/console/api/sql/file?id=${id}&format=csv`, {
          headers: { cookie },
          signal,
        });
        return answer.body!.getReader();
      }),
    );
    for (const reader of readers.slice(0, 2)) for (let n = 0; n < 20; n++) await reader.read();
    for (const stop of stops) stop.abort();
    await Promise.all(readers.map((reader) => expect(reader.closed).rejects.toThrow(/abort/)));
    expect((await query("SELECT 1 AS one")).page.rows).toEqual([[1]]);
  });
});

describe("a result on the page", () => {
  test("says which columns are numbers, by their types", async () => {
    const { columns, numeric, page } = await query(VALUES);
    expect(columns.filter((_, at) => numeric[at])).toEqual(["big", "d", "inf", "n"]);
    expect(page.rows[0]!.slice(0, 3)).toEqual(["-9007199254740993", "-1.50", "-Infinity"]);
    expect(page.rows[0]![6]).toBe("\\xAA\\x00");
    const empty = await query("SELECT id, 1 AS one FROM records WHERE false");
    expect(empty).toMatchObject({ columns: ["id", "one"], numeric: [false, true] });
  });

  test("says which values of a row are longer than what is kept of one", async () => {
    const long = "SELECT 'short' AS s, string_agg(repeat('long ', 1000), '') AS l FROM range(240)";
    const { id } = await query(long);
    const row = async (of: number) =>
      (await (await ask("GET", `sql/row?id=${of}&row=0`)).json()) as { cells: unknown[]; cut: number[] };
    const { cells, cut } = await row(id);
    expect(cut).toEqual([1]);
    expect(cells[1]).toHaveLength(1_000_001);
    const fits = await query("SELECT repeat('fits ', 1000) AS s");
    expect((await row(fits.id)).cut).toEqual([]);
  });
});

import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MirrorlakeError, SliceError } from "../../src/contract/errors.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { checkContent } from "../../src/slice/check-content.js";
import { RAW_COLUMNS } from "../../src/slice/raw-columns.js";
import { RECORD_COLUMNS } from "../../src/slice/record-columns.js";
import { readSliceManifest, verifySlice } from "../../src/slice/verify-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { QUICK } from "../evolution/support.js";
import { CAMPAIGN, runs } from "../support/campaign.js";
import { count } from "../support/count.js";
import { askEverything, lakeAnswers } from "./ask-everything.js";
import { mutated, mutation } from "./hostile-slice.js";
import { batches, INFO, makeItems } from "./items.js";
import { overwrite, snapshot } from "./reseal.js";

let dir: string;
let lake: string;
let before: Record<string, string>;
const slices: { records: string; raw: string } = { records: "", raw: "" };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-hostile-"));
  lake = join(dir, "lake");
  await writeSlices(batches(makeItems(1000, 1030)), { out: join(dir, "installed"), info: INFO });
  await installSlices([join(dir, "installed")], { lake, ...QUICK });
  before = await snapshot(lake);
  const written = await writeSlices(batches(makeItems(0, 90)), { out: join(dir, "fresh"), info: INFO });
  slices.records = written.find(
    ({ manifest }) =>
      manifest.mirrorlake.counts.vectors > 1 && manifest.mirrorlake.filter.platform === "microblog",
  )!.dir;
  slices.raw = written.find(({ manifest }) => manifest.mirrorlake.counts.raw > 10)!.dir;
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const TYPES = new Map([
  ...RECORD_COLUMNS.map(({ name, type }) => [`records.${name}`, type] as const),
  ...RAW_COLUMNS.map(({ name, type }) => [`raw.${name}`, type] as const),
]);

/** Refuses by the engine's checks of many rows what the check of few rows refuses, in the same words. */
async function checkByEngine(slice: string, refusal: unknown): Promise<void> {
  if (refusal !== undefined && !CONTENT.has((refusal as SliceError).code)) return;
  const manifest = await readSliceManifest(slice);
  const byEngine: unknown = await checkContent(slice, manifest, { smallRows: -1 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect((byEngine as SliceError | undefined)?.message).toBe((refusal as SliceError | undefined)?.message);
}

/** What only the content of files can be refused for. */
const CONTENT: ReadonlySet<unknown> = new Set(["slice_content_mismatch", "slice_row_invalid"]);

let places = 0;
async function judge(change: Parameters<typeof mutated>[2]): Promise<"refused" | "accepted"> {
  count("slices");
  const place = join(dir, `place-${places++}`);
  await mkdir(place);
  try {
    const table = change.kind === "cell" || change.kind === "table" ? change.table : "records";
    const pick = change.kind === "manifest" ? (change.path % 2 === 0 ? "raw" : "records") : table;
    const slice = await mutated(slices[pick], place, change);
    const refusal: unknown = await verifySlice(slice).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal !== undefined) expect(refusal).toBeInstanceOf(SliceError);
    await checkByEngine(slice, refusal);
    const own = join(place, "lake");
    await cp(lake, own, { recursive: true });
    const failure: unknown = await installSlices([slice], { lake: own, ...QUICK }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) {
      expect(failure).toBeInstanceOf(MirrorlakeError);
      expect(await snapshot(own)).toEqual(before);
      await lakeAnswers(own);
      return "refused";
    }
    expect(refusal).toBeUndefined();
    await askEverything(own, place, slice);
    return "accepted";
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Hostile cells, and the field that the refusal names. */
const CELLS: readonly [table: "records" | "raw", column: string, sql: string, field: string][] = [
  ["records", "prov_ts", "'not a time'", "prov.ts"],
  ["records", "prov_ts", "'2026-05-12T12:00:00.001Z'", "prov_ts_ms"],
  ["records", "prov_hash", "'0xZZ'", "prov.hash"],
  ["records", "comment_thread", "['a', NULL]", "comment_thread.1"],
  ["records", "entities", "[NULL]", "entities.0"],
  ["records", "empty_objects", "['prov']", "empty_objects"],
  ["records", "metrics_likes", "9223372036854775807", "metrics.likes"],
  ["records", "metrics_likes", "-1", "metrics.likes"],
  ["records", "metrics_rating", "'nan'::DOUBLE", "metrics.rating"],
  ["records", "price_current", "1.5", "price.currency"],
  ["records", "price_drop_7d", "1.5", "price_drop_7d"],
  ["records", "sentiment_label", "'good'", "sentiment.score"],
  ["records", "extra_dur_s", "'inf'::DOUBLE", "extra.dur_s"],
  ["records", "extra_stock", "'-inf'::DOUBLE", "extra_stock"],
  ["records", "extra_freshness_s", "-1", "extra.freshness_s"],
  ["records", "author_followers", "-1", "author.followers"],
  ["records", "extra_other", "'{\"a\":1,}'", "extra_other"],
  ["records", "extra_other", "'{\"a\":NaN}'", "extra_other"],
  ["records", "extra_other", "'[]'", "extra_other"],
  ["records", "extra_other", '\'{"a":{"b":1}}\'', "extra.a"],
  ["records", "extra_other", "repeat('{\"a\":', 6000) || '1' || repeat('}', 6000)", "extra.a"],
  ["records", "extra_other", "'{\"__proto__\":1}'", "extra.__proto__"],
  ["records", "extra_other", '\'{"a":"\\ud800"}\'', "extra.a"],
  ["records", "author_uid_hash", "''", "author.uid_hash"],
  ["raw", "id", "repeat('x', 401)", "id"],
  ["raw", "resource", "'Comment'", "resource"],
  ["raw", "parent", "''", "parent"],
  ["raw", "score", "'nan'::DOUBLE", "score"],
  ["raw", "score", "1e308", "score"],
  ["raw", "offset_s", "-1", "offset_s"],
  ["raw", "captured_at", "'now'", "captured_at"],
  ["raw", "created_at", "'2999-13-01T00:00:00Z'", "created_at"],
  ["raw", "created_at", "'9999-12-31T23:59:59-12:00'", "created_at"],
  ["raw", "created_ms", "1", "created_ms"],
  ["raw", "data", "'{\"a\":1,}'", "data"],
  ["raw", "data", "'{\"a\":Infinity}'", "data"],
  ["raw", "data", "'[1]'", "data"],
  ["raw", "data", "'{\"a\":1e999}'", "data.a"],
  ["raw", "data", '\'{"a":{"b":["\\udc00"]}}\'', "data.a.b.0"],
  ["raw", "data", "'{\"a\":' || repeat('[', 100000) || repeat(']', 100000) || '}'", "data.a.0.0"],
];

describe("a row that breaks the contract", () => {
  it.each(CELLS)("%s: %s = %s is refused by %s", async (table, column, sql, field) => {
    const place = join(dir, `cell-${places++}`);
    await mkdir(place);
    const type = TYPES.get(`${table}.${column}`)!;
    const change = { kind: "cell", table, column, row: 1, sql: `(${sql})::${type}`, sort: true } as const;
    const slice = await mutated(slices[table], place, change);
    const error: unknown = await verifySlice(slice).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "SliceError", code: "slice_row_invalid" });
    const { message, value, remedy } = error as SliceError;
    const named = value as { file: string; row: number; field: string };
    expect(named.file).toBe(join(slice, `${table}.parquet`));
    expect(named.field.startsWith(field), named.field).toBe(true);
    expect(message).toContain(`of ${table}.parquet`);
    expect(message).toContain(named.field);
    expect(message.length).toBeLessThan(900);
    expect(remedy).not.toBe("");
  });

  it.each([
    ["levels without end", '"more"', `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["a number that is none", '"more"', "1e999"],
    ["half a character", '"more"', '"\\ud800"'],
  ])("a manifest with %s is refused", async (_name, key, value) => {
    const place = join(dir, `manifest-${places++}`);
    await mkdir(place);
    const slice = await mutated(slices.raw, place, { kind: "table", table: "raw", query: "SELECT * FROM t" });
    await verifySlice(slice);
    const path = join(slice, "datapackage.json");
    await overwrite(path, (await readFile(path, "utf8")).replace("{", `{${key}:${value},`));
    await expect(verifySlice(slice)).rejects.toMatchObject({ code: "slice_manifest_invalid" });
  });
});

describe("a slice with anything in it, well sealed", () => {
  it("is refused and changes nothing, or all works with it", { tags: "slow" }, async () => {
    const outcomes = { refused: 0, accepted: 0 };
    await fc.assert(
      fc.asyncProperty(mutation, async (change) => {
        outcomes[await judge(change)]++;
      }),
      { ...runs(3), endOnFailure: true },
    );
    expect(outcomes.refused + outcomes.accepted).toBeGreaterThan(0);
    if (CAMPAIGN) console.log(outcomes);
  });
});

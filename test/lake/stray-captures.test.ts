import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { ingest } from "../../src/ingest/ingest.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { asOfRecords } from "../../src/store/as-of.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { EMBEDDER, QUICK, write } from "../evolution/support.js";
import { runs } from "../support/campaign.js";
import { makeRecord, withHash } from "./items.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-stray-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const MAPPING = {
  mapping: 1,
  name: "posts",
  info: { title: "Posts of a test", licence: "MIT" },
  sources: [{ name: "posts", files: ["*.jsonl"] }],
  defaults: { platform: "microblog", lang: { value: "en" } },
  rules: [{ from: "posts", record: { id: "id", captured_at: "at", fields: { text: "text" } } }],
};
const CLOCK = new VirtualClock("2026-08-01T00:00:00Z");
const stray = (n: number, ts: string) => {
  const { prov: _, ...record } = makeRecord(n);
  return { kind: "record", record: withHash(record, ts) } as const;
};

describe("a record that is captured in 2999", () => {
  const lake = () => join(dir, "lake");

  it("moves no window: the install says so, and searches answer as without it", {
    tags: "slow",
  }, async () => {
    const good = Array.from({ length: 9 }, (_, n) => ({ kind: "record", record: makeRecord(n) }) as const);
    await installSlices(await write(join(dir, "good"), good), { lake: lake(), ...QUICK, clock: CLOCK });
    const bad = await write(join(dir, "bad"), [stray(30, "2999-01-01T00:00:00Z")]);
    const report = await installSlices(bad, { lake: lake(), ...QUICK, clock: CLOCK });
    expect(report.stray).toEqual({ count: 1, newest: "2999-01-01T00:00:00.000Z" });
    const open = await openLake(lake(), { account: "memory", embedder: EMBEDDER });
    const { data } = await open.search({ query: "camera phone río", freshness: "90d" });
    expect(data.length).toBe(9);
    expect((await open.sql("SELECT id FROM records")).length).toBe(10);
    await open.close();
  });

  it("is found by doctor, with the query that lists it", { tags: "slow" }, async () => {
    const { findings, ok } = await diagnoseLake(lake());
    expect(ok).toBe(true);
    const found = findings.find(({ code }) => code === "stray_captures");
    expect(found?.level).toBe("warning");
    expect(found?.message).toContain("1 record is captured too late to be true, the latest 2999-01-01");
    const query = /mirrorlake sql "([^"]+)"/.exec(found!.remedy)![1]!;
    const open = await openLake(lake(), { account: "memory", embedder: EMBEDDER });
    expect(await open.sql(query)).toEqual([expect.objectContaining({ id: makeRecord(30).id })]);
    await open.close();
  });

  it("is the as-of where nothing else is left", { tags: "slow" }, async () => {
    const ids = Array.from({ length: 9 }, (_, n) => ({ kind: "record", id: makeRecord(n).id }) as const);
    await removeRecords(ids, { lake: lake(), reason: "test" });
    const open = await openLake(lake(), { account: "memory", embedder: EMBEDDER });
    expect((await open.search({ query: "noticias", freshness: "1h" })).data).toHaveLength(1);
    await open.close();
  });

  it("is named by the ingest that makes its slice", async () => {
    const input = join(dir, "rows.jsonl");
    const row = (day: string) => JSON.stringify({ id: day, text: "hello", at: `${day}T00:00:00Z` });
    await writeFile(input, ["2026-07-01", "2999-01-01", "2026-08-01"].map(row).join("\n"));
    const report = await ingest([input], {
      adapter: compileMapping(MAPPING),
      out: join(dir, "ingested"),
      authorSalt: "a salt of sixteen",
      clock: CLOCK,
    });
    expect(report.stray).toEqual({ count: 1, newest: "2999-01-01T00:00:00.000Z" });
  });
});

describe("rows that are captured at the ends of the calendar", () => {
  it.each([
    ["0000-01-01T00:00:00Z"],
    ["0001-01-01T00:00:00Z"],
    ["0099-12-31T23:59:59Z"],
    ["9999-12-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999Z"],
  ])("%s: are ingested, installed and found", async (at) => {
    const folder = join(dir, at.slice(0, 10));
    const input = join(dir, "rows.jsonl");
    const row = (time: string) => JSON.stringify({ id: time, text: "hello", at: time });
    await writeFile(input, [row("2026-07-01T00:00:00Z"), row(at)].join("\n"));
    const out = join(folder, "slices");
    const adapter = compileMapping(MAPPING);
    const report = await ingest([input], { adapter, out, authorSalt: "a salt of sixteen", clock: CLOCK });
    expect(report).toMatchObject({ records: 2, rejected: 0 });
    await installSlices([out], { lake: join(folder, "lake"), ...QUICK, clock: CLOCK });
    const open = await openLake(join(folder, "lake"), { account: "memory", embedder: EMBEDDER });
    expect((await open.search({ query: "hello", freshness: "90d" })).data).toHaveLength(1);
    expect(await open.sql("SELECT id FROM records")).toHaveLength(2);
    expect((await open.slices({})).data.total).toBe(2);
    await open.close();
  });
});

describe("a row that is captured beyond the calendar", () => {
  it.each(["9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+08:00"])("%s: is rejected alone", async (at) => {
    const input = join(dir, "rows.jsonl");
    const row = (time: string) => JSON.stringify({ id: time, text: "hello", at: time });
    await writeFile(input, [row("2026-07-01T00:00:00Z"), row(at)].join("\n"));
    const out = join(dir, `beyond-${at.slice(0, 4)}`);
    const adapter = compileMapping(MAPPING);
    const report = await ingest([input], { adapter, out, authorSalt: "a salt of sixteen", clock: CLOCK });
    expect(report).toMatchObject({ records: 1, rejected: 1 });
    expect(JSON.parse(await readFile(report.rejectsFile, "utf8"))).toMatchObject({
      file: "rows.jsonl",
      line: 2,
      field: "prov.ts",
      reason: `is not in the years 0000 to 9999 in UTC, got "${at}"`,
    });
  });
});

describe("the as-of of captures", () => {
  const NOW = Date.parse("2026-08-01T00:00:00Z");
  const asOf = (times: readonly (number | string)[], now = NOW) => {
    const ms = Float64Array.from(times, (time) => (typeof time === "string" ? Date.parse(time) : time));
    return asOfRecords(
      ms,
      RowSet.fromPredicate(ms.length, () => true),
      now,
    );
  };

  it.each([
    ["the newest", ["2020-01-01", "2026-07-31"], "2026-07-31"],
    [
      "the newest, where few are new",
      [...Array<string>(1000).fill("2001-01-01"), "2026-07-31"],
      "2026-07-31",
    ],
    ["one that a clock ahead of ours made", ["2026-07-31", "2026-08-01T20:00:00Z"], "2026-08-01T20:00:00Z"],
    ["none that is to come", ["2026-07-31", "2026-07-30", "2026-09-01"], "2026-07-31"],
    ["the only one, whatever it is", ["2999-01-01"], "2999-01-01"],
    ["the newest, where our clock is behind", ["2027-01-01", "2027-01-02", "2026-01-01"], "2027-01-02"],
    ["none of 2999, where our clock is behind too", ["2027-01-01", "2027-01-02", "2999-01-01"], "2027-01-02"],
  ])("is %s", (_name, times, expected) => {
    expect(asOf(times).asOfMs).toBe(Date.parse(expected));
  });

  it("does not heed a minority of mistakes, whatever they are", () => {
    const past = fc.integer({ min: Date.UTC(2000, 0), max: NOW });
    const late = fc.integer({ min: NOW + 2 * 86_400_000, max: Date.UTC(9999, 0) });
    fc.assert(
      fc.property(
        fc.array(past, { minLength: 1, maxLength: 20 }),
        fc.array(late, { maxLength: 20 }),
        (good, bad) => {
          const few = bad.slice(0, good.length);
          const { asOfMs, stray } = asOf([...few, ...good]);
          expect(asOfMs).toBe(Math.max(...good));
          expect(stray?.count ?? 0).toBe(few.length);
        },
      ),
      runs(50),
    );
  });
});

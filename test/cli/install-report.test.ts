import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "./capture.js";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mirrorlake-install-report-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const record = (n: number, ts: string): SliceItem => ({
  kind: "record",
  record: {
    id: `web_gnw_${n}`,
    src: "web",
    platform: "global-news",
    lang: "en",
    title: `headline ${n} of ${ts}`,
    prov: { ts },
  },
});
async function* batches(items: readonly SliceItem[]) {
  yield items;
}
const write = (out: string, items: readonly SliceItem[]) =>
  writeSlices(batches(items), {
    out: join(cwd, out),
    info: { title: "News", licence: "MIT", platforms: [] },
  });
const install = (...args: string[]) => capture(["install", ...args, "--lake", "lake"], { cwd });

it("counts a newer edition as a replacement, not as an addition, and says that an index was rebuilt", {
  tags: "slow",
}, async () => {
  const days = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"] as const;
  await write(
    "one",
    Array.from({ length: 40 }, (_, n) => record(n + 1, days[0])),
  );
  await write("two", [record(2, days[1]), record(3, days[1]), record(41, days[1])]);
  expect((await install("one")).out).toContain("40 records and 0 raw items added\n");
  const second = await install("two");
  expect(second.out).toContain("1 record and 0 raw items added, 2 older editions replaced");
  const again = await install("two", "--rebuild");
  expect(again.out).toContain("0 records and 0 raw items added, index rebuilt");
  expect(again.err).toMatch(
    /^The index is built again, since it was asked for: 43 records and 0 raw items, some 1 s, and [\d.]+ [kM]B of disk\n$/,
  );
});

it("says how many items fewer there are where a revision withdraws some", async () => {
  const day = "2026-05-01T00:00:00Z";
  const [first] = await write(
    "one",
    Array.from({ length: 9 }, (_, n) => record(n + 1, day)),
  );
  await writeSlices(batches([record(1, day), record(2, "2026-05-02T00:00:00Z")]), {
    out: join(cwd, "two"),
    info: { title: "News", licence: "MIT", platforms: [] },
    revises: [first!.manifest],
  });
  await install("one");
  const { out } = await install("two");
  expect(out).toContain("7 records and 0 raw items fewer than before, index rebuilt");
});

it("counts what was removed from a lake neither as lost by an install nor as there", async () => {
  const day = "2026-05-01T00:00:00Z";
  await write(
    "one",
    Array.from({ length: 9 }, (_, n) => record(n + 1, day)),
  );
  await write("two", [record(10, day), record(11, day)]);
  await install("one");
  const ids = ["--id", "web_gnw_1", "--id", "web_gnw_2", "--id", "web_gnw_3"];
  const removal = ["remove", ...ids, "--reason", "test", "--lake", "lake"];
  expect(await capture(removal, { cwd })).toMatchObject({ code: 0 });
  const again = await install("one");
  expect(again.out).toContain("nothing to install\n");
  expect(again.out).toContain("generation 1: 6 records and 0 raw items from 1 slice");
  const second = await install("two");
  expect(second.out).toContain("2 records and 0 raw items added\n");
  expect(second.out).toContain("generation 2: 8 records and 0 raw items from 2 slices");
  const rebuilt = await install("two", "--rebuild");
  expect(rebuilt.out).toContain("0 records and 0 raw items added, index rebuilt\n");
});

it("rebuilds a lake from the slices that it has, as messages about damaged generations say", async () => {
  await write("one", [record(1, "2026-05-01T00:00:00Z")]);
  const nothing = await install();
  expect(nothing).toMatchObject({ code: 2, out: "" });
  expect(nothing.err).toContain("give --rebuild");
  await install("one");
  await writeFile(join(cwd, "lake", "generations", "1", "generation.json"), "{}");
  const ask = () => capture(["search", "headline", "--freshness", "all", "--lake", "lake"], { cwd });
  const [, command] = /slices: mirrorlake (.+)\n/.exec((await ask()).err)!;
  expect(command).toBe(`install --rebuild --lake ${join(cwd, "lake")}`);
  expect(await capture(command!.split(" "))).toMatchObject({ code: 0 });
  expect((await ask()).out).toContain("headline 1");
});

it("does not take a folder without a lake for one to be rebuilt", async () => {
  const missing = await install("--rebuild");
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.err).toContain("lake_not_found");
  expect(await readdir(cwd)).toEqual([]);
});

it("says why vector sets have no graph where graphs were asked for", async () => {
  await write("one", [record(1, "2026-05-01T00:00:00Z")]);
  expect((await install("one")).out).not.toContain("HNSW");
  const note = "HNSW graphs: 0 of 1 vector set: 1 has fewer than 4,096 records\n";
  expect((await install("one", "--index", "hnsw")).out).toContain(note);
  expect((await install("--rebuild", "--graph-from", "100")).out).toContain(note);
  const auto = { index: "auto", sets: 1, graphs: 0, small: 1, from: 98304 };
  expect(JSON.parse((await install("one", "--index", "auto", "--json")).out)).toMatchObject({ graphs: auto });
  expect(JSON.parse((await install("one", "--index", "scan", "--json")).out)).not.toHaveProperty("graphs");
});

it("counts the vector sets that have a graph", { tags: "slow" }, async () => {
  await write(
    "one",
    Array.from({ length: 4200 }, (_, n) => record(n + 1, "2026-05-01T00:00:00Z")),
  );
  expect((await install("one", "--index", "hnsw")).out).toContain("HNSW graphs: 1 of 1 vector set\n");
});

it("a corrected file revises the slices of a lake, and what is the same is not written", async () => {
  const mapping = {
    mapping: 1,
    name: "news",
    info: { title: "News", licence: "MIT" },
    sources: [{ name: "rows", files: ["*.csv"] }],
    defaults: { platform: "global-news", lang: "en", captured_at: { value: "2026-05-01T00:00:00Z" } },
    rules: [{ from: "rows", record: { id: "id", fields: { title: "title" } } }],
  };
  await writeFile(join(cwd, "mapping.json"), JSON.stringify(mapping));
  await writeFile(join(cwd, "news.csv"), "id,title\n1,A bridge opens\n2,A bridge falls\n");
  const ingest = (out: string, ...args: string[]) =>
    capture(["ingest", "news.csv", "--adapter", "mapping.json", "--out", out, ...args], { cwd });
  await ingest("one");
  await install("one");
  await writeFile(join(cwd, "news.csv"), "id,title\n1,A bridge opens on Monday\n");
  expect(await ingest("two", "--revises", "lake")).toMatchObject({ code: 0 });
  expect((await install("two")).err).not.toContain("conflicts");
  const found = await capture(["sql", "SELECT id, title FROM records", "--lake", "lake", "--json"], { cwd });
  expect(JSON.parse(found.out)).toEqual([{ id: "web_gnw_1", title: "A bridge opens on Monday" }]);
  const same = await ingest("three", "--revises", "lake");
  expect(same.out).toContain("0 slices in");
  expect(same.err).toContain("there is nothing to install");
});

import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeComment, makeItems, makeRecord } from "../lake/items.js";
import { openFiles, within } from "../support/open-files.js";

let dir: string;
let lake: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-tombstones-"));
  lake = join(dir, "lake");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function ingest(name: string, from: number, to: number, edition = 0): Promise<string> {
  const out = join(dir, name);
  await writeSlices(batches(makeItems(from, to, edition)), { out, info: INFO });
  return out;
}

describe("removeRecords", () => {
  it("hides a record at once from a lake that is open, and keeps it out of later installs", {
    tags: "slow",
  }, async () => {
    const slices = await ingest("a", 0, 60);
    await installSlices([slices], { lake, threads: 1 });
    const open = await Lake.open(lake);
    const client = await openLake(lake, { account: "memory", limits: "off" });
    const { corpus } = open;
    const id = makeRecord(3).id;
    const row = await corpus.recordRow(id);
    expect(row).toBeDefined();
    const whole = await corpusHash(lake);
    const report = await removeRecords([{ kind: "record", id }], { lake, reason: "takedown 1" });
    expect(report).toMatchObject({ targets: 1, added: 1, hidden: { records: 1 }, total: 1 });
    expect(report.corpus).not.toBe(whole);
    expect(await open.corpus.recordRow(id)).toBeUndefined();
    expect(open.corpus.recordCount).toBe(59);
    await expect(corpus.records([row!])).rejects.toMatchObject({ code: "record_removed" });
    expect(() => open.index.vector(row!)).toThrow("was removed");
    expect(await client.sql("SELECT count(*) AS n FROM records WHERE id = ?", [id])).toEqual([{ n: 0 }]);
    expect(await client.sql("SELECT count(*) AS n FROM records")).toEqual([{ n: 59 }]);
    expect(open.withheld.size).toBe(1);
    await installSlices([slices], { lake, threads: 1, rebuild: true });
    await open.refresh();
    expect(open.generation).toBe(2);
    expect(await open.corpus.recordRow(id)).toBeUndefined();
    expect(open.corpus.rowCount).toBe(59);
    expect(await corpusHash(lake)).toBe(report.corpus);
    await client.close();
    await open.close();
  });

  it("leaves the files of the index open, and counts what is shown alone", async () => {
    await installSlices([await ingest("a", 0, 60)], { lake, threads: 1 });
    const open = await Lake.open(lake);
    const searched = within(join(lake, "generations", "1", "search"));
    const best = () =>
      open.use(async ({ corpus, index }) => {
        const { rows, scores } = await index.rank("camera phone", corpus.match({}), { limit: 10 });
        return [(await corpus.records(rows)).map(({ id }) => id), scores] as const;
      });
    const [ids] = await best();
    const before = openFiles(searched);
    expect(before.length > 0).toBe(process.platform === "linux");
    for (const id of ids.slice(0, 3)) {
      await removeRecords([{ kind: "record", id }], { lake, reason: "takedown" });
      const found = await best();
      expect(found[0]).not.toContain(id);
      expect(openFiles(searched)).toEqual(before);
      const opened = await Lake.open(lake);
      const { rows, scores } = await opened.index.rank("camera phone", opened.corpus.match({}), {
        limit: 10,
      });
      expect(found).toEqual([(await opened.corpus.records(rows)).map((record) => record.id), scores]);
      await opened.close();
    }
    // The view of before the last removal is closed; what it shares is not.
    await open.refresh();
    expect((await best())[0].length).toBeGreaterThan(0);
    await open.close();
    expect(openFiles(searched)).toEqual([]);
  });

  it("is complete once it holds: an abort ends the hash of what is left alone", {
    tags: "slow",
  }, async () => {
    await installSlices([await ingest("a", 0, 10)], { lake, threads: 1 });
    const { signal } = new AbortController();
    const holds = () => existsSync(join(lake, "removals.jsonl"));
    Object.defineProperty(signal, "aborted", { get: holds });
    signal.throwIfAborted = () => {
      if (holds()) throw new Error("aborted");
    };
    const { id } = makeRecord(3);
    const report = await removeRecords([{ kind: "record", id }], { lake, reason: "test", signal });
    expect(report).toMatchObject({ added: 1, hidden: { records: 1 }, corpus: undefined });
    const again = await removeRecords([{ kind: "record", id }], { lake, reason: "test" });
    expect(again).toMatchObject({ added: 0, corpus: await corpusHash(lake) });
  });

  it("fails an export that is under way, rather than show it", { tags: "slow" }, async () => {
    await installSlices([await ingest("a", 0, 60)], { lake, threads: 1 });
    const client = await openLake(lake, { account: "memory", limits: "off" });
    let removal: Promise<unknown> | undefined;
    const { onProgress } = {
      onProgress: () => {
        removal ??= removeRecords([{ kind: "record", id: makeRecord(3).id }], { lake, reason: "meanwhile" });
      },
    };
    const file = join(dir, "out.csv");
    const exported = client.export(file, { format: "csv", onProgress }).then(
      () => "whole",
      (error) => error.code,
    );
    const outcome = await exported;
    await removal;
    // The removal came before the export was whole, and it failed; or after, and the export was whole before it.
    expect(["whole", "removed_meanwhile"]).toContain(outcome);
    await client.export(file, { format: "csv" });
    expect(await readFile(file, "utf8")).not.toContain(`${makeRecord(3).id},`);
    await client.close();
  });

  it("removes an author's comments, and what a video's samples quote", { tags: "slow" }, async () => {
    await installSlices([await ingest("a", 0, 60)], { lake, threads: 1 });
    const report = await removeRecords([{ kind: "author", id: "u7" }], { lake, reason: "erasure" });
    const open = await Lake.open(lake);
    const page = await open.corpus.rawPage({
      platform: "short-video",
      resource: "comment",
      author: "u7",
      orderBy: "id",
      offset: 0,
      limit: 100,
    });
    expect(page).toEqual({ items: [], total: 0 });
    expect(report.hidden.raw).toBeGreaterThanOrEqual(3);
    for (let n = 0; n < 60; n++) {
      const comment = makeComment(n);
      const found = await open.corpus.raw("short-video", "comment", comment.id);
      expect(found?.author).not.toBe("u7");
    }
    await open.close();
  });
});

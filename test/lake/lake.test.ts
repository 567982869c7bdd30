import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { heldGenerations } from "../../src/lake/open/leases.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeComment, makeItems, makeRecord, makeVector } from "./items.js";

let dir: string;
let lake: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-lake-"));
  lake = join(dir, "lake");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function ingest(name: string, from: number, to: number, edition = 0): Promise<string> {
  const out = join(dir, name);
  await writeSlices(batches(makeItems(from, to, edition)), { out, info: INFO });
  return out;
}

describe("installSlices and Lake", () => {
  it("reports what new slices brought, also where everything is built again", { tags: "slow" }, async () => {
    const a = await ingest("a", 0, 60);
    const b = await ingest("b", 50, 110, 1);
    const none = { added: 0, replaced: 0, outdated: 0 };
    await installSlices([a], { lake });
    const built = await installSlices([b], { lake });
    const brought = { added: 60, replaced: 10, outdated: 0 };
    expect(built).toMatchObject({ change: "built", records: brought, raw: brought });
    const again = await installSlices([b], { lake, rebuild: true });
    expect(again).toMatchObject({ change: "built", records: none, raw: none });
    expect(again.total).toMatchObject(again.before);
    const older = await installSlices([await ingest("c", 100, 160)], { lake });
    expect(older).toMatchObject({
      change: "added",
      records: { added: 50, replaced: 0, outdated: 10 },
    });
    const more = await installSlices([await ingest("d", 160, 370), await ingest("e", 50, 55)], { lake });
    expect(more).toMatchObject({
      change: "built",
      records: { added: 210, replaced: 0, outdated: 5 },
    });
  });

  it("answers every record, raw item and vector that was installed", { tags: "slow" }, async () => {
    const report = await installSlices([await ingest("a", 0, 200)], { lake });
    expect(report).toMatchObject({
      generation: 1,
      change: "built",
      records: { added: 200 },
      raw: { added: 200 },
    });
    const open = await Lake.open(lake);
    expect(open.corpus.recordCount).toBe(200);
    for (const n of [0, 1, 2, 99, 199]) {
      const row = await open.corpus.recordRow(makeRecord(n).id);
      expect((await open.corpus.records([row!]))[0]).toEqual(makeRecord(n));
      const comment = makeComment(n);
      expect(await open.corpus.raw("short-video", "comment", comment.id)).toEqual(comment);
    }
    const row = await open.corpus.recordRow(makeRecord(8).id);
    expect((await open.index.vectors([row!]))[0]).toEqual(makeVector(8));
    expect(await open.corpus.recordRow("soc_mbl_none")).toBeUndefined();
    expect(await open.corpus.raw("short-video", "comment", "none")).toBeUndefined();
    const ranking = await open.index.rank("手机 camera", open.corpus.match({}), { limit: 10 });
    expect(ranking.rows.length).toBe(10);
    await open.close();
    expect(await heldGenerations(lake)).toEqual(new Set());
  });

  it("adds a small install to the generation, replaces older editions, and installs nothing twice", {
    tags: "slow",
  }, async () => {
    await installSlices([await ingest("a", 0, 200)], { lake });
    const update = await ingest("b", 190, 210, 9);
    const reader = await Lake.open(lake);
    const report = await installSlices([update], { lake });
    expect(report).toMatchObject({ generation: 2, change: "added", records: { added: 20, replaced: 10 } });
    expect(reader.corpus.recordCount).toBe(200);
    await reader.refresh();
    expect(reader.generation).toBe(2);
    expect(reader.corpus.recordCount).toBe(210);
    expect(await heldGenerations(lake)).toEqual(new Set([1, 2]));
    await reader.refresh();
    expect(await heldGenerations(lake)).toEqual(new Set([2]));
    const row = await reader.corpus.recordRow(makeRecord(195).id);
    expect((await reader.corpus.records([row!]))[0]).toEqual(makeRecord(195, 9));
    expect(await reader.corpus.raw("short-video", "comment", makeComment(195).id)).toEqual(
      makeComment(195, 9),
    );
    await reader.close();
    expect(await installSlices([update], { lake })).toMatchObject({ generation: 2, change: "none" });
    expect(await readdir(join(lake, "generations"))).toEqual(["2"]);
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StoredRecord } from "../../src/contract/service/unified-record.js";
import type { RawItem, SliceItem } from "../../src/contract/slice/slice-item.js";
import { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { Database } from "../../src/duckdb/database.js";
import { VectorFile } from "../../src/slice/arrow-vectors.js";
import { rawOfRow } from "../../src/slice/raw-columns.js";
import { manifestRoot } from "../../src/slice/read-slice-manifest.js";
import { recordOfRow } from "../../src/slice/record-columns.js";
import { STAGING_DEFAULTS } from "../../src/staging/defaults.js";
import type { DuplicateItem } from "../../src/staging/drop-duplicates.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { runs } from "../support/campaign.js";
import {
  batches,
  INFO,
  instant,
  makeComment,
  makeItems,
  makeRecord,
  makeVector,
  shuffled,
  withHash,
} from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-slices-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function tree(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const slice of await readdir(root)) {
    for (const file of await readdir(join(root, slice))) {
      files[`${slice}/${file}`] = (await readFile(join(root, slice, file))).toString("base64");
    }
  }
  return files;
}

async function readBack(slices: readonly { dir: string; manifest: SliceManifest }[]) {
  const db = await Database.open(":memory:");
  const records: StoredRecord[] = [];
  const raw: RawItem[] = [];
  const vectors = new Map<string, Float32Array>();
  for (const slice of slices) {
    for (const { name, path } of slice.manifest.resources) {
      const file = join(slice.dir, path);
      if (name === "records") {
        const rows = await db.rows("SELECT * FROM read_parquet(?)", [[file]]);
        records.push(...rows.map(recordOfRow));
      } else if (name === "raw") {
        raw.push(...(await db.rows("SELECT * FROM read_parquet(?)", [[file]])).map(rawOfRow));
      } else {
        const vectorFile = await VectorFile.open(file);
        for (let i = 0; i < vectorFile.length; i++) {
          const { id, values } = await vectorFile.read(i);
          vectors.set(id, values.slice());
        }
        await vectorFile.close();
      }
    }
  }
  await db.close();
  return { records, raw, vectors };
}

it("refuses an extra that is a member of itself, and data, naming the item", async () => {
  const self: Record<string, unknown> = {};
  self.self = self;
  const record = { ...makeRecord(1), extra: self } as unknown as StoredRecord;
  await expect(
    writeSlices(batches([{ kind: "record", record }]), { out: dir, info: INFO }),
  ).rejects.toMatchObject({
    code: "item_invalid",
    value: { id: record.id },
    message: expect.stringMatching(/^\S+: extra\.self\.self.* levels of arrays and objects$/),
  });
  const raw = { ...makeItems(0, 40).find((item) => item.kind === "raw")!.raw, data: self } as RawItem;
  await expect(writeSlices(batches([{ kind: "raw", raw }]), { out: dir, info: INFO })).rejects.toMatchObject({
    code: "item_invalid",
    message: expect.stringContaining(raw.id),
  });
});

it("leaves no folder that it made for items that end in an error, and one that was there", async () => {
  const failing = async function* () {
    yield [];
    throw new Error("no more");
  };
  await expect(writeSlices(failing(), { out: join(dir, "made", "out"), info: INFO })).rejects.toThrow(
    "no more",
  );
  expect(await readdir(dir)).toEqual([]);
  await expect(writeSlices(failing(), { out: dir, info: INFO })).rejects.toThrow("no more");
  expect(await readdir(dir)).toEqual([]);
});

it("gives others a turn while it takes items, from a generator that never waits and in one batch", {
  tags: "slow",
}, async () => {
  for (const size of [100, 3000]) {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    const items = makeItems(0, 1500);
    let turnsWhenTaken = 0;
    await writeSlices(
      (async function* () {
        setImmediate(count);
        yield* batches(items, size);
        turnsWhenTaken = turns;
        isOver = true;
      })(),
      { out: join(dir, `of-${size}`), info: INFO },
    );
    expect(turnsWhenTaken).toBeGreaterThanOrEqual(Math.floor(items.length / STAGING_DEFAULTS.turnItems));
  }
});

describe("writeSlices", () => {
  it("gives back exactly what came in, split by domain, platform, language and month", async () => {
    const items = makeItems(0, 300);
    const slices = await writeSlices(batches(items), { out: dir, info: INFO });
    const { records, raw, vectors } = await readBack(slices);
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    const given = items.flatMap((item) => (item.kind === "record" ? [item.record] : []));
    expect(records.sort(byId)).toEqual([...given].sort(byId));
    expect(raw.sort(byId)).toEqual(items.flatMap((i) => (i.kind === "raw" ? [i.raw] : [])).sort(byId));
    expect(vectors.size).toBe(75);
    expect(vectors.get(makeRecord(8).id)).toEqual(makeVector(8));
    for (const { manifest, root, dir: path } of slices) {
      expect(SliceManifest.parse(JSON.parse(await readFile(join(path, "datapackage.json"), "utf8")))).toEqual(
        manifest,
      );
      expect(manifestRoot(manifest)).toBe(root);
      const { filter, captured, counts } = manifest.mirrorlake;
      expect(captured.first >= filter.from && captured.last < filter.to).toBe(true);
      expect(counts.records + counts.raw).toBeGreaterThan(0);
    }
    expect(slices.length).toBe(
      new Set(slices.map(({ manifest }) => JSON.stringify(manifest.mirrorlake.filter))).size,
    );
  });

  it("writes the same bytes for the same items in any order, and twice into one folder is once", {
    tags: "slow",
  }, async () => {
    const items = makeItems(0, 200);
    const [a, b] = [join(dir, "a"), join(dir, "b")];
    await writeSlices(batches(items), { out: a, info: INFO });
    await writeSlices(batches(shuffled(items, 3), 17), { out: b, info: INFO });
    await writeSlices(batches(items), { out: b, info: INFO });
    expect(await tree(b)).toEqual(await tree(a));
  });

  it("keeps the newest of items with one key, counts repeats, tells of conflicts", {
    tags: "slow",
  }, async () => {
    const items: SliceItem[] = [
      { kind: "record", record: makeRecord(1) },
      { kind: "record", record: makeRecord(1) },
      { kind: "record", record: makeRecord(1, 5) },
      { kind: "record", record: makeRecord(2), vector: makeVector(1) },
      { kind: "record", record: makeRecord(2), vector: makeVector(2) },
      { kind: "raw", raw: makeComment(1, 9) },
      { kind: "raw", raw: makeComment(1) },
      { kind: "raw", raw: { ...makeComment(2), captured_at: instant(20) } },
      { kind: "raw", raw: makeComment(2) },
    ];
    let first: Record<string, string> | undefined;
    for (const seed of [1, 2, 3]) {
      const told: DuplicateItem[] = [];
      const out = join(dir, String(seed));
      const slices = await writeSlices(batches(shuffled(items, seed), 2), {
        out,
        info: INFO,
        onDuplicate: (duplicate) => told.push(duplicate),
      });
      const { records, raw, vectors } = await readBack(slices);
      expect(records).toHaveLength(2);
      expect(records).toContainEqual(makeRecord(1, 5));
      expect(raw).toContainEqual(makeComment(1, 9));
      expect(raw).toContainEqual({ ...makeComment(2), captured_at: instant(20) });
      expect(vectors.size).toBe(1);
      expect(told).toHaveLength(5);
      expect(
        told.filter((t) => t.kind === "record" && !t.identical && t.id === makeRecord(2).id),
      ).toHaveLength(1);
      expect(told.filter((t) => t.kind === "raw" && t.identical)).toHaveLength(1);
      const files = await tree(out);
      first ??= files;
      expect(files).toEqual(first);
    }
  });

  it("holds any record of the contract", { tags: "slow" }, async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const count = fc.nat(2 ** 52);
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
    const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
      fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
    const key = fc.stringMatching(/^[a-z_]{1,8}$/).filter((k) => !["stock", "topic"].includes(k));
    const scalar = fc.oneof(text, number, fc.boolean(), fc.array(text, { maxLength: 3 }));
    const arbitrary = some({
      text,
      title: text,
      author: fc.record(
        { uid_hash: text.map((t) => `u${t}`), followers: count },
        { requiredKeys: ["uid_hash"] },
      ),
      metrics: some({ likes: count, danmaku: count, rating: fc.nat(50).map((n) => n / 10), bsr: count }),
      comment_thread: fc.array(text, { maxLength: 3 }),
      price: fc.record(
        { current: count, currency: fc.constant("EUR"), drop_7d: number },
        { requiredKeys: ["current", "currency"] },
      ),
      review_sample: fc.array(text, { maxLength: 3 }),
      sentiment: fc.record({ score: number, label: text }),
      entities: fc.array(text, { maxLength: 3 }),
      extra: fc
        .tuple(
          some({
            stock: fc.oneof(number, text),
            topic: text,
            lightning_deal: fc.boolean(),
            dur_s: count,
            color_ways: fc.oneof(fc.nat(), fc.array(text)),
          }),
          fc.dictionary(key, scalar, { maxKeys: 3 }),
        )
        .map(([known, other]) => ({ ...other, ...known })),
    });
    // Its own: a run that takes too long goes on while the next test has a folder.
    const parent = dir;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: 30 }), async (shapes) => {
        const records = shapes.map((shape, i) =>
          withHash(
            {
              id: `soc_mbl_${String(i).padStart(3, "0")}`,
              src: "social",
              platform: "microblog",
              lang: "und",
              ...shape,
            },
            instant(0),
          ),
        );
        for (const record of records) StoredRecord.parse(record);
        const items = records.map((record): SliceItem => ({ kind: "record", record }));
        const slices = await writeSlices(batches(items), { out: join(parent, String(run++)), info: INFO });
        expect((await readBack(slices)).records).toEqual(records);
      }),
      runs(12),
    );
  });

  it("refuses what no slice can hold, and leaves nothing behind", async () => {
    const record = makeRecord(0);
    const bad: [SliceItem, string][] = [
      [{ kind: "record", record: { ...record, platform: "nowhere" } }, "platform_unknown"],
      [{ kind: "record", record: { ...record, src: "web" } }, "record_not_of_platform"],
      [{ kind: "record", record: { ...record, id: "soc_xxx_1" } }, "record_not_of_platform"],
      [{ kind: "record", record, vector: new Float32Array(3) }, "vector_invalid"],
      [{ kind: "record", record, vector: new Float32Array(1536).fill(Number.NaN) }, "vector_invalid"],
      [{ kind: "record", record: { ...record, prov: { ...record.prov, ts: "soon" } } }, "timestamp_invalid"],
      [{ kind: "raw", raw: { ...makeComment(1), captured_at: "soon" } }, "timestamp_invalid"],
    ];
    for (const [item, code] of bad) {
      const writing = writeSlices(batches([...makeItems(0, 10), item]), { out: dir, info: INFO });
      await expect(writing).rejects.toMatchObject({ name: "IngestError", code });
      expect(await readdir(dir)).toEqual([]);
    }
    const { vectorModel: _, ...unnamed } = INFO;
    await expect(
      writeSlices(batches([{ kind: "record", record, vector: makeVector(1) }]), { out: dir, info: unnamed }),
    ).rejects.toMatchObject({ code: "vector_model_missing" });
  });

  it("stops on abort without a trace, and sweeps up after a killed run", async () => {
    const controller = new AbortController();
    async function* endless() {
      for (let i = 0; ; i += 10) {
        if (i === 50) controller.abort();
        yield makeItems(i, i + 10);
      }
    }
    await expect(
      writeSlices(endless(), { out: dir, info: INFO, signal: controller.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
    expect(await readdir(dir)).toEqual([]);
    await mkdir(join(dir, ".tmp-999999999-0"));
    await writeFile(join(dir, ".tmp-999999999-0", "half"), "written");
    expect(await writeSlices(batches([]), { out: dir, info: INFO })).toEqual([]);
    expect(await readdir(dir)).toEqual([]);
  });

  it("says so when the folder holds a damaged slice of the same root", async () => {
    const [slice] = await writeSlices(batches([{ kind: "record", record: makeRecord(1) }]), {
      out: dir,
      info: INFO,
    });
    await rm(join(slice!.dir, "records.parquet"));
    await expect(
      writeSlices(batches([{ kind: "record", record: makeRecord(1) }]), { out: dir, info: INFO }),
    ).rejects.toMatchObject({ name: "SliceError", code: "slice_damaged", value: slice!.dir });
  });
});

describe("rows of long texts", () => {
  it("go to the engine a megabyte at a time, however many come at once", async () => {
    const append = vi.spyOn(Database.prototype, "append");
    try {
      const text = "word ".repeat(1600);
      const items = Array.from({ length: 400 }, (_, i): SliceItem => {
        const { prov, ...bare } = makeRecord(i);
        return { kind: "record", record: withHash({ ...bare, text }, prov.ts) };
      });
      await writeSlices(batches(items, items.length), { out: join(dir, "out"), info: INFO });
      const sent = append.mock.calls.map(([, rows]) => [...rows].length * text.length);
      expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBe(items.length * text.length);
      expect(Math.max(...sent)).toBeLessThanOrEqual(1 << 20);
    } finally {
      append.mockRestore();
    }
  });
});

import { hash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/contract/slice/canonical-json.js";
import { type NewRecord, recordHash, verifyLake, writeSlices } from "../../src/index.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { contentHash } from "../../src/store/generation/content-hash.js";
import { NOTHING_REMOVED } from "../../src/store/removals/removed-rows.js";
import { COMPACT, QUICK } from "../evolution/support.js";
import { batches, INFO, makeItems, makeRecord } from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-hashes-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const WRONG = `0x${"ab".repeat(32)}`;
const QUIET = { recall: false, threads: 0 } as const;

function items(records: readonly NewRecord[]) {
  return batches(records.map((record) => ({ kind: "record" as const, record })));
}

function hashed(n: number, hash?: string): NewRecord {
  const { prov, ...bare } = makeRecord(n);
  return { ...bare, prov: { ...prov, hash: hash ?? prov.hash } };
}

async function lakeOf(records: readonly NewRecord[], hashes: "check" | "keep" | "computed"): Promise<string> {
  const lake = join(dir, "lake");
  const written = await writeSlices(items(records), { out: join(dir, "out"), info: INFO, hashes });
  await installSlices(
    written.map((slice) => slice.dir),
    { lake, ...QUICK },
  );
  return lake;
}

describe("prov.hash of a record that is written", () => {
  it("is what recordHash says of the record, with or without its provenance and vector", async () => {
    const { prov, ...bare } = makeRecord(3);
    const record: NewRecord = { ...bare, prov: { ts: prov.ts } };
    expect(recordHash({ ...record, vec: [1, 2] })).toBe(recordHash(bare));
    expect(recordHash({ vec: 1, ...record })).toBe(recordHash(bare));
    const nested = { ...bare, extra: { ...bare.extra, vec: "a", prov: "b" } };
    expect(recordHash(nested)).toBe(`0x${hash("sha256", canonicalJson(nested), "hex")}`);
    const given = { ...record, prov: { ...record.prov, hash: recordHash(record) } };
    expect(await writeSlices(items([given]), { out: join(dir, "out"), info: INFO })).toHaveLength(1);
  });

  it("is checked: a wrong one is refused with the right one, and nothing is written", async () => {
    const out = join(dir, "out");
    const error = await writeSlices(items([hashed(1), hashed(4, WRONG)]), { out, info: INFO }).catch(
      (e) => e,
    );
    const { prov: _, ...bare } = makeRecord(4);
    expect(error).toMatchObject({
      name: "SliceError",
      code: "hash_mismatch",
      value: WRONG,
      message: `prov.hash of eco_glm_4 is ${WRONG}, not ${recordHash(bare)}`,
      remedy: expect.stringContaining('hashes: "keep"'),
    });
    await expect(readdir(out)).rejects.toThrow("ENOENT");
  });

  it("is computed where it is absent: the same bytes as with it", async () => {
    const bare = [1, 4, 7].map((n): NewRecord => {
      const { prov, ...record } = makeRecord(n);
      return { ...record, prov: { ts: prov.ts } };
    });
    const [without] = await writeSlices(items(bare), { out: join(dir, "a"), info: INFO });
    const [given] = await writeSlices(items([1, 4, 7].map((n) => hashed(n))), {
      out: join(dir, "b"),
      info: INFO,
    });
    expect(without!.root).toBe(given!.root);
  });

  it("stays as it came where that is asked for; the manifest says so, and verify accepts it", {
    tags: "slow",
  }, async () => {
    const lake = await lakeOf([hashed(1, WRONG), hashed(4), hashed(7, WRONG)], "keep");
    const { ok, problems, provenance } = await verifyLake(lake, QUIET);
    expect({ ok, problems, provenance }).toEqual({
      ok: true,
      problems: [],
      provenance: { canonical: 1, otherwise: 2 },
    });
    await removeRecords([{ kind: "record", id: "eco_glm_7" }], { lake, reason: "test" });
    await compactLake({ lake, ...COMPACT });
    expect(await verifyLake(lake, QUIET)).toMatchObject({
      ok: true,
      provenance: { canonical: 1, otherwise: 1 },
    });
  });

  it.each([[[1, 4]], [[1]]])(
    "is a problem of verify when no recipe gives it, of all of %j too",
    async (wrong) => {
      const lake = await lakeOf(
        [1, 4].map((n) => hashed(n, wrong.includes(n) ? WRONG : undefined)),
        "computed",
      );
      const { ok, problems } = await verifyLake(lake, QUIET);
      expect(ok).toBe(false);
      expect(problems).toEqual([
        expect.objectContaining({
          code: "provenance_mismatch",
          value: wrong.map((n) => `eco_glm_${n}`),
          remedy: expect.stringContaining('hashes: "keep"'),
        }),
      ]);
    },
  );
});

it("the hash of a corpus does not depend on how many rows are sorted at once", async () => {
  const [lake, out] = [join(dir, "lake"), join(dir, "out")];
  await writeSlices(batches(makeItems(0, 400)), { out, info: INFO });
  await installSlices([out], { lake, ...QUICK });
  const generation = join(lake, "generations", "1");
  const removed = { ...NOTHING_REMOVED, records: [3, 77], raw: [5, 6, 50] };
  const once = await contentHash(generation, removed);
  for (const sort of [
    { sortRows: 7, sortBytes: Number.POSITIVE_INFINITY },
    { sortRows: Number.POSITIVE_INFINITY, sortBytes: 20_000 },
  ]) {
    let rows = 0;
    const onRows = (done: number) => {
      rows = done;
    };
    expect(await contentHash(generation, removed, { sort, onRows })).toBe(once);
    expect(rows).toBeGreaterThanOrEqual(400);
  }
});

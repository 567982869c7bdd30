import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { partition, type SortLimits } from "../../src/staging/partition.js";
import { Staging } from "../../src/staging/staging.js";
import { INFO, instant, makeItems, withHash } from "./items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-partition-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The rows of both sorted tables, in their order on disk. */
async function sorted(most?: SortLimits, items = makeItems(0, 900)) {
  const folder = await mkdtemp(join(dir, "staging-"));
  const staging = await Staging.open(folder, INFO, "check");
  try {
    for (let from = 0; from < items.length; from += 512) await staging.add(items.slice(from, from + 512));
    await staging.finish();
    const parts = await partition(staging, undefined, most);
    return {
      parts,
      records: await staging.db.rows("SELECT * FROM sorted_records"),
      raw: await staging.db.rows("SELECT * FROM sorted_raw"),
    };
  } finally {
    await staging.close();
  }
}

it("sorts rows as one sort would, however many sorts it takes", async () => {
  const once = await sorted();
  expect(once.parts.length).toBeGreaterThan(3);
  expect(once.records.length).toBeGreaterThan(400);
  expect(once.raw.length).toBeGreaterThan(100);
  for (const most of [
    { sortRows: 250, narrowRowBytes: Number.POSITIVE_INFINITY, sortBytes: 1 },
    { sortRows: 60, narrowRowBytes: Number.POSITIVE_INFINITY, sortBytes: 1 },
    { sortRows: Number.POSITIVE_INFINITY, narrowRowBytes: 1, sortBytes: 20_000 },
  ]) {
    expect(await sorted(most)).toEqual(once);
  }
});

it("keeps every row where fields come that no row before had", async () => {
  const ids = (items: readonly { id?: unknown }[]) => items.map(({ id }) => id);
  const plain = Array.from({ length: 2500 }, (_, n) => withHash(bare(n), instant(1)));
  const more = Array.from({ length: 2500 }, (_, n) => {
    const record = { ...bare(2500 + n), title: "a title", ...(n > 2100 ? { entities: ["one"] } : {}) };
    return withHash(record, instant(1));
  });
  const items = [...plain, ...more].map((record) => ({ kind: "record" as const, record }));
  const { records } = await sorted(undefined, items);
  expect(ids(records)).toEqual(ids([...plain, ...more]).toSorted());
  expect(records.filter(({ title }) => title === "a title")).toHaveLength(2500);
  expect(records.filter(({ entities }) => entities !== null)).toHaveLength(399);
});

function bare(n: number) {
  return { id: `soc_mbl_${n}`, src: "social" as const, platform: "microblog", lang: "en", text: `text ${n}` };
}

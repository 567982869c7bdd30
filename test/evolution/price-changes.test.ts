import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import { drop7d } from "../../src/contract/price-change.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { recordHash } from "../../src/slice/record-hash.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { convertValues, sortOut } from "../adapters/support.js";
import { Scratch } from "../ingest/support.js";
import { runs } from "../support/campaign.js";
import { count } from "../support/count.js";

const ADAPTER = await loadAdapter("price-history");
const PLACES = ["lugo", "vigo"] as const;

/** Price in cents of a product at a place on a day of May 2026; undefined where it is not sold. */
type Prices = ReadonlyMap<string, number>;
const key = (product: number, place: string, day: number) =>
  `${product}:${place}:2026-05-${String(day).padStart(2, "0")}`;

const rowsOf = (prices: Prices, days: readonly number[]) =>
  [...prices].flatMap(([id, cents]) => {
    const [product, place, date] = id.split(":");
    if (!days.includes(Number(date!.slice(8)))) return [];
    return [
      {
        fecha_snapshot: date,
        marca_temporal_extraccion: `${date}T20:00:00+00:00`,
        id_ubicacion: place,
        id_producto: product,
        producto: `Té ${product}`,
        precio: cents / 100,
      },
    ];
  });

/** What is true: the change of each product at the first place that has its newest day. */
function expected(prices: Prices, removed: ReadonlySet<string> = new Set()) {
  const out: Record<string, number | undefined> = {};
  const products = new Set([...prices.keys()].map((id) => id.split(":")[0]!));
  for (const product of products) {
    const all = [...prices].map(
      ([id, cents]) => [...id.split(":"), cents / 100] as [string, string, string, number],
    );
    const own = all.filter(([of]) => of === product);
    const newest = own
      .map(([, , date]) => date)
      .sort()
      .at(-1)!;
    const place = own
      .filter(([, , date]) => date === newest)
      .map(([, at]) => at)
      .sort()[0]!;
    const series = own
      .filter(([, at, date]) => at === place && !removed.has(`${product}:${at}:${date}`))
      .map(([, , date, price]) => ({ ms: Date.parse(`${date}T20:00:00Z`), price }))
      .sort((a, b) => a.ms - b.ms);
    out[`eco_gro_${product}`] = drop7d(series);
  }
  return out;
}

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

let made = 0;
/** Takes prices out of a lake, after the install of so many parts. */
interface Takedown {
  readonly after: number;
  /** A product, by its number, or the key of a price. */
  readonly of: number | string;
}

/** Installs the days of each part in turn, takes down what is to go after it, and gives the lake's folder. */
async function installed(
  parts: readonly (readonly number[])[],
  prices: Prices,
  takedowns: readonly Takedown[] = [],
): Promise<string> {
  const lake = join(scratch.dir, `lake-${made++}`);
  let exists = false;
  const due: Takedown[] = [];
  for (const [at, days] of parts.entries()) {
    const rows = rowsOf(prices, days);
    if (rows.length > 0) {
      const { records, raw } = sortOut(
        await convertValues(ADAPTER, rows, { capturedAt: undefined as never }),
      );
      const items: SliceItem[] = [
        ...records.map((record) => ({ kind: "record", record }) as const),
        ...raw("price").map((item) => ({ kind: "raw", raw: item }) as const),
      ];
      const out = join(scratch.dir, `slices-${made++}`);
      await writeSlices(batches(items), { out, info: ADAPTER.info });
      await installSlices([out], { lake });
      await rm(out, { recursive: true });
      exists = true;
    }
    due.push(...takedowns.filter(({ after }) => after === at + 1));
    // What is taken down need not have come yet, but the lake has to be there.
    if (exists && due.length > 0)
      await removeRecords(due.splice(0).map(targetOf), { lake, reason: "a test" });
  }
  return lake;
}

/** Rebuilds a lake of its slices; returns the hash of its content. */
async function rebuilt(lake: string): Promise<string> {
  await installSlices([], { lake, rebuild: true });
  return corpusHash(lake);
}

function targetOf({ of }: Takedown): RemovalTarget {
  return typeof of === "number"
    ? { kind: "record", id: `eco_gro_${of}` }
    : { kind: "raw", platform: "grocery-market", resource: "price", id: of };
}

async function* batches(items: readonly SliceItem[]) {
  yield items;
}

async function shown(lake: string) {
  const client = await openLake(lake, { account: "memory" });
  try {
    const { records, ordered } = await client.lake.use(async ({ corpus }) => {
      const order = await corpus.recordsPage({ orderBy: "drop_7d", offset: 0, limit: 1000 });
      const valued = await corpus.recordsPage({
        ...{ orderBy: "drop_7d", withValue: true, offset: 0, limit: 1000 },
      });
      expect(valued.rows).toEqual(order.rows.slice(0, valued.total));
      const without = await corpus.records(order.rows.slice(valued.total));
      expect(without.filter(({ price }) => price?.drop_7d !== undefined)).toEqual([]);
      return {
        records: await corpus.records([...corpus.live.rows()]),
        ordered: (await corpus.records(order.rows)).map(
          ({ price }) => price?.drop_7d ?? Number.POSITIVE_INFINITY,
        ),
      };
    });
    const changes = Object.fromEntries(records.map(({ id, price }) => [id, price?.drop_7d]));
    for (const { prov, ...bare } of records) expect(prov.hash).toBe(recordHash(bare));
    const sql = await client.sql("SELECT id, price_drop_7d AS change FROM records");
    const inSql = Object.fromEntries(sql.map(({ id, change }) => [String(id), change ?? undefined]));
    expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
    return { changes, inSql };
  } finally {
    await client.close();
  }
}

describe("the 7-day change of a price", () => {
  it("is right after days 27 to 29, then 30 and 31", { tags: "slow" }, async () => {
    const prices = new Map([
      [key(1, "vigo", 27), 100],
      [key(1, "vigo", 29), 100],
      [key(1, "vigo", 31), 66],
      [key(2, "vigo", 28), 100],
      [key(3, "vigo", 30), 200],
    ]);
    const lake = await installed(
      [
        [27, 28, 29],
        [30, 31],
      ],
      prices,
    );
    const { changes, inSql } = await shown(lake);
    expect(changes).toEqual({ eco_gro_1: -34, eco_gro_2: undefined, eco_gro_3: undefined });
    expect(inSql).toEqual(changes);
    expect((await verifyLake(lake)).problems).toEqual([]);
  });

  it("is the same for any split into installs, any order, and removals between them (property)", {
    tags: "slow",
  }, async () => {
    const days = [1, 4, 8, 9, 12];
    const cells = [1, 2, 3].flatMap((product) =>
      PLACES.flatMap((place) => days.map((day) => key(product, place, day))),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...cells), fc.integer({ min: 1, max: 500 })), { minLength: 3 }),
        fc.shuffledSubarray(days, { minLength: 5 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
        fc.array(
          fc.record({ after: fc.nat(4), of: fc.oneof(fc.constantFrom(...cells), fc.constantFrom(1, 2)) }),
          { maxLength: 4 },
        ),
        fc.boolean(),
        async (given, order, cuts, drawn, compacts) => {
          const prices = new Map(given);
          const ends = [0, ...cuts.toSorted(), order.length];
          const parts = ends.slice(1).map((end, i) => order.slice(ends[i], end));
          const takedowns = drawn.map(({ after, of }) => ({ after: (after % parts.length) + 1, of }));
          const split = await installed(parts, prices, takedowns);
          const atOnce = await installed(
            [order],
            prices,
            takedowns.map(({ of }) => ({ after: 1, of })),
          );
          if (compacts) await compactLake({ lake: split });
          const seen = await shown(split);
          const want = Object.entries(
            expected(prices, new Set(takedowns.flatMap(({ of }) => (typeof of === "string" ? of : [])))),
          ).filter(([id]) => !takedowns.some(({ of }) => id === `eco_gro_${of}`));
          expect(seen.changes).toEqual(Object.fromEntries(want));
          expect(seen).toEqual(await shown(atOnce));
          expect(await corpusHash(split)).toBe(await corpusHash(atOnce));
          count("sequences");
          count("removals", takedowns.length);
        },
      ),
      runs(2),
    );
  });

  it("does not decide which of two editions of one capture wins", { tags: "slow" }, async () => {
    const edition = (title: string, drop?: number) => ({
      id: "eco_gro_1",
      src: "ecommerce" as const,
      platform: "grocery-market",
      lang: "es",
      title,
      price: { current: 1, currency: "EUR", ...(drop === undefined ? {} : { drop_7d: drop }) },
      extra: { location: "vigo" },
    });
    const titles = Array.from({ length: 200 }, (_, n) => `Té ${n}`);
    // The first edition's hash is the smaller one as its source gives it, the greater one with the derived change.
    const [first, second] = titles
      .flatMap((a) => titles.map((b) => [a, b] as const))
      .find(([a, b]) => {
        const given = recordHash(edition(b));
        return recordHash(edition(a)) < given && given < recordHash(edition(a, -50));
      })!;
    const items = (title: string): SliceItem[] => [
      { kind: "record", record: { ...edition(title), prov: { ts: "2026-05-12T20:00:00Z" } } },
    ];
    const others = Array.from({ length: 40 }, (_, n) => [key(n + 2, "vigo", 1), 100] as const);
    const points = [key(1, "vigo", 1), key(1, "vigo", 12)].map((id, n): SliceItem => {
      const at = `${id.slice(-10)}T20:00:00Z`;
      const data = { ts: at, current: n === 0 ? 2 : 1, currency: "EUR", location: "vigo" };
      const raw = {
        platform: "grocery-market",
        resource: "price",
        id,
        parent: "1",
        lang: "es",
        captured_at: at,
      };
      return { kind: "raw", raw: { ...raw, created_at: at, score: 1, data } };
    });
    const lake = await installed([[1]], new Map(others));
    for (const part of [[...items(first), ...points], items(second)]) {
      const out = join(scratch.dir, `slices-${made++}`);
      await writeSlices(batches(part), { out, info: ADAPTER.info });
      expect((await installSlices([out], { lake })).change).toBe("added");
    }
    const client = await openLake(lake, { account: "memory" });
    const rows = await client.sql(
      "SELECT title, price_drop_7d AS change FROM records WHERE id = 'eco_gro_1'",
    );
    expect(rows).toEqual([{ title: second, change: -50 }]);
    await client.close();
  });

  it("goes with a price whose later edition is of another product", { tags: "slow" }, async () => {
    const sold = Array.from({ length: 40 }, (_, n) => [key(n + 1, "vigo", 12), 100] as const);
    const lake = await installed([[4, 12]], new Map([...sold, [key(1, "vigo", 4), 200]]));
    expect((await shown(lake)).changes).toMatchObject({ eco_gro_1: -50, eco_gro_2: undefined });
    const at = "2026-05-04T20:00:00Z";
    const raw = {
      platform: "grocery-market",
      resource: "price",
      id: key(1, "vigo", 4),
      parent: "2",
      lang: "es",
      captured_at: "2026-05-13T20:00:00Z",
      created_at: at,
      score: 4,
      data: { ts: at, current: 4, currency: "EUR", location: "vigo" },
    };
    const out = join(scratch.dir, `slices-${made++}`);
    await writeSlices(batches([{ kind: "raw", raw }]), { out, info: ADAPTER.info });
    expect((await installSlices([out], { lake })).change).toBe("added");
    const grown = await shown(lake);
    expect(grown.changes).toMatchObject({ eco_gro_1: undefined, eco_gro_2: -75 });
    expect(await corpusHash(lake)).toBe(await rebuilt(lake));
    expect(grown).toEqual(await shown(lake));
  });

  it("ends the removal of the only product of a lake, with its one price", async () => {
    const lake = await installed([[4]], new Map([[key(1, "lugo", 4), 800]]), [{ after: 1, of: 1 }]);
    expect((await shown(lake)).changes).toEqual({});
  });

  it("heeds the removal of a price, before and after compaction", { tags: "slow" }, async () => {
    const prices = new Map([
      [key(1, "vigo", 1), 400],
      [key(1, "vigo", 4), 200],
      [key(1, "vigo", 12), 100],
    ]);
    const lake = await installed([[1, 4], [12]], prices);
    expect((await shown(lake)).changes).toEqual({ eco_gro_1: -50 });
    const gone = key(1, "vigo", 4);
    const target = { kind: "raw", platform: "grocery-market", resource: "price", id: gone } as const;
    await removeRecords([target], { lake, reason: "a test" });
    const want = expected(prices, new Set([gone]));
    expect(want).toEqual({ eco_gro_1: -75 });
    const before = await corpusHash(lake);
    expect(await shown(lake)).toEqual({ changes: want, inSql: want });
    await compactLake({ lake });
    expect(await shown(lake)).toEqual({ changes: want, inSql: want });
    expect(await corpusHash(lake)).toBe(before);
  });
});

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ExternalSort } from "../../src/ingest/mapping/external-sort.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";

let tempDirectory = "";

beforeAll(async () => {
  tempDirectory = await mkdtemp(join(tmpdir(), "external-sort-"));
});
afterAll(() => rm(tempDirectory, { recursive: true, force: true }));

async function sortAll<T>(entries: readonly (readonly [string, T])[], budgetBytes: number) {
  const sort = new ExternalSort<T>({ tempDirectory, budgetBytes });
  for (const [key, value] of entries) await sort.add(key, value);
  const out: [string, T][] = [];
  for await (const { key, value } of sort.sorted()) out.push([key, value]);
  return out;
}

describe("the external sort", () => {
  it("sorts as memory would, stable, whatever has to be spilled", async () => {
    const entry = fc.tuple(fc.string({ unit: ANY_CHARACTER, maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 60 }),
        fc.constantFrom(1, 400, 1e9),
        async (given, budget) => {
          const entries = given.map(([key, value]) => [key, JSON.parse(JSON.stringify(value))] as const);
          const expected = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
          expect(await sortAll(entries, budget)).toEqual(expected);
        },
      ),
      runs(60),
    );
    expect(await readdir(tempDirectory)).toEqual([]);
  });

  it("keeps line separators, tabs and half pairs that text holds", async () => {
    const odd = "a\u2028b\u2029c\td\ne\r\ud83d";
    expect(await sortAll([[odd, { odd }]], 1)).toEqual([[odd, { odd }]]);
  });

  it("merges more runs than it keeps open", async () => {
    const entries = Array.from(
      { length: 300 },
      (_, i) => [String((i * 7) % 100).padStart(3, "0"), i] as const,
    );
    const expected = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    expect(await sortAll(entries, 1)).toEqual(expected);
  });

  it("leaves nothing when the reader stops early, or is aborted", async () => {
    const sort = new ExternalSort<number>({ tempDirectory, budgetBytes: 1 });
    for (let i = 0; i < 10; i++) await sort.add(String(i), i);
    expect(await readdir(tempDirectory)).toHaveLength(1);
    for await (const { value } of sort.sorted()) if (value === 3) break;
    expect(await readdir(tempDirectory)).toEqual([]);

    const controller = new AbortController();
    const aborted = new ExternalSort<number>({ tempDirectory, signal: controller.signal });
    await aborted.add("a", 1);
    controller.abort();
    await expect(aborted.sorted().next()).rejects.toThrow();
  });
});

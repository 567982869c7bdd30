import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildIndex } from "../../src/search/build-index.js";
import type { CandidateRows, IndexDocument } from "../../src/search/document.js";
import { openIndex } from "../../src/search/open-index.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-search-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

function allRows(size: number): CandidateRows {
  return {
    size,
    count: size,
    has: (row) => row < size,
    rows: () => Uint32Array.from({ length: size }, (_, i) => i),
    bits: new Uint32Array(Math.ceil(size / 32)).fill(0xffffffff),
  };
}

const documents: IndexDocument[] = [
  { id: "eco_sea_1", lang: "en", title: "Wireless mouse with silent buttons" },
  { id: "eco_sea_2", lang: "en", title: "Mechanical keyboard" },
  { id: "soc_mbl_1", lang: "zh", text: "新手机的电池很好" },
  { id: "web_gnw_1", lang: "es", text: "La economía española crece" },
];

async function* batches() {
  yield documents;
}

describe("a search index", () => {
  it("finds words of several languages", async () => {
    await buildIndex(join(dir, "index"), batches);
    const index = await openIndex(join(dir, "index"));
    const first = async (query: string) =>
      (await index.rank(query, allRows(4), { limit: 1 })).rows.map((row) => documents[row]!.id);
    expect(await first("wireless mouse")).toEqual(["eco_sea_1"]);
    expect(await first("手机")).toEqual(["soc_mbl_1"]);
    expect(await first("economia")).toEqual(["web_gnw_1"]);
    expect((await index.vectors([0]))[0]).toHaveLength(1536);
    await index.close();
  });

  it("embeds a word that its languages write differently as a share of each form", async () => {
    const pages: IndexDocument[] = [
      { id: "web_gnw_1", lang: "en", text: "the radio played all night" },
      { id: "web_gnw_2", lang: "es", text: "la radio suena toda la noche" },
      { id: "web_gnw_3", lang: "es", text: "otra radio calla" },
    ];
    await buildIndex(join(dir, "index"), async function* () {
      yield pages;
    });
    const index = await openIndex(join(dir, "index"));
    const vector = (await index.embedQuery("radio"))!;
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    await index.close();
  });

  it("adds documents to a base", async () => {
    await buildIndex(join(dir, "one"), batches);
    await buildIndex(
      join(dir, "two"),
      async function* () {
        yield [{ id: "web_gnw_2", lang: "en", text: "mouse plague in the countryside" }];
      },
      { base: { dir: join(dir, "one") } },
    );
    const index = await openIndex(join(dir, "two"));
    expect(index.documentCount).toBe(5);
    const { rows } = await index.rank("mouse", allRows(5), { limit: 2, mode: "keyword" });
    expect([...rows].sort()).toEqual([0, 4]);
    await index.close();
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import { openIndex } from "../../src/search/open-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

const FILLER = "durante una temporada larga y difícil que muchos seguidores todavía recuerdan con orgullo";
const documents: IndexDocument[] = [
  {
    id: "web_enc_final",
    lang: "es",
    text: `${`${FILLER}. `.repeat(8)} El equipo verde ganó el torneo en el estadio de Santiago. ${`${FILLER}. `.repeat(4)}`,
  },
  ...Array.from({ length: 200 }, (_, n) => ({ id: `eco_shp_${n}`, lang: "es", text: `Galletas ${n}` })),
  { id: "eco_shp_stadium", lang: "es", text: "Estadio hinchable" },
  { id: "eco_shp_green", lang: "es", text: "Verde oliva" },
  {
    id: "web_enc_super_es",
    lang: "es",
    text: "Los Broncos ganaron la Super Bowl 50 en Santa Clara, y la ciudad lo celebró.",
  },
  {
    id: "web_enc_super_en",
    lang: "en",
    text: "The Broncos won Super Bowl 50 in Santa Clara and the city celebrated.",
  },
  ...Array.from({ length: 20 }, (_, n) => ({
    id: `soc_mbl_${n}`,
    lang: "en",
    text: `${n}: who was it that won the city in the end? The city was`,
  })),
];

const SMALL = ["where", "did", "they", "have", "what", "was", "then", "there", "when", "who"];
const MARKET = "The valley keeps a market with bread, wool and pots all year. ";
/** Comments, which are mostly small words, and articles, which have others. */
const chatter: IndexDocument[] = [
  {
    id: "web_enc_mill",
    lang: "en",
    text: `The old mill by the brook grinds flour for bread. ${MARKET.repeat(4)}`,
  },
  ...Array.from({ length: 20 }, (_, n) => ({
    id: `web_enc_town_${n}`,
    lang: "en",
    text: `Town ${n}. ${MARKET.repeat(5)}`,
  })),
  ...Array.from({ length: 4 }, (_, n) => ({
    id: `soc_mbl_flour_${n}`,
    lang: "en",
    text: `flour ${n} wow great stuff indeed`,
  })),
  { id: "soc_mbl_small", lang: "en", text: "when was that, what did they have there" },
  ...Array.from({ length: 900 }, (_, n) => ({
    id: `soc_mbl_short_${n}`,
    lang: "en",
    text: `${SMALL[n % 10]} ${SMALL[(n * 3 + 1) % 10]} fun ${n % 90}`,
  })),
];

let dir: string;
let index: SearchIndex;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-lake-"));
  await buildIndex(
    join(dir, "index"),
    async function* () {
      yield documents;
    },
    { threads: 0 },
  );
  index = await openIndex(join(dir, "index"));
});
afterAll(async () => {
  await index.close();
  await rm(dir, { recursive: true, force: true });
});

async function ids(query: string, mode: "keyword" | "semantic" | "hybrid" = "hybrid"): Promise<string[]> {
  const all = RowSet.of(documents.length, Uint32Array.from(documents.keys()));
  const { rows } = await index.rank(query, all, { limit: 10, mode });
  return rows.map((row) => documents[row]!.id);
}

describe("a lake of articles and short texts in one language", () => {
  it("ranks an article with every word of the question above a name with one", async () => {
    const [first] = await ids("qué equipo ganó en el estadio verde de Santiago", "keyword");
    expect(first).toBe("web_enc_final");
  });
});

describe("a lake of comments and some articles", () => {
  it("ranks an article with the rare words of a question above a comment with its small ones", async () => {
    const talk = await buildMemoryIndex(chatter);
    const all = RowSet.of(chatter.length, Uint32Array.from(chatter.keys()));
    const question = "when did they have what was there to grind flour";
    const { rows } = await talk.rank(question, all, { limit: 3, mode: "keyword" });
    const ranked = rows.map((row) => chatter[row]!.id);
    expect(ranked[0]).toBe("web_enc_mill");
    expect(ranked).not.toContain("soc_mbl_small");
    await talk.close();
  });
});

describe("a lake of several languages", () => {
  it("ranks what is in the question's language first, where names are the same in all", async () => {
    expect((await ids("quién ganó la Super Bowl 50 en Santa Clara"))[0]).toBe("web_enc_super_es");
    expect((await ids("who won the Super Bowl 50 in Santa Clara"))[0]).toBe("web_enc_super_en");
  });
});

describe("a query of words that no document holds", () => {
  it("finds nothing, by any ranking, where no more than letters of them occur", async () => {
    for (const query of ["zzzqqqxxkcd", "estaqqqzz wwkkjj", "龘靐", "9f8q7w6e5r4t", "?!?"])
      for (const mode of ["keyword", "semantic", "hybrid"] as const)
        expect(await ids(query, mode)).toEqual([]);
  });

  it("finds another form of a word by its first and last letters", async () => {
    expect(await ids("hinchablemente inchable", "keyword")).toContain("eco_shp_stadium");
  });
});

describe("an answer", () => {
  it("says which ranking found a row, at which rank and with which score", async () => {
    const all = RowSet.of(documents.length, Uint32Array.from(documents.keys()));
    const query = "galletas del estadio";
    const { rows, ranks } = await index.rank(query, all, { limit: 5 });
    for (const mode of ["keyword", "semantic"] as const) {
      const alone = await index.rank(query, all, { limit: 300, mode });
      rows.forEach((row, i) => {
        const rank = alone.rows.indexOf(row) + 1;
        expect(ranks[i]![mode]?.rank ?? 0).toBe(rank);
        if (rank > 0) expect(ranks[i]![mode]).toEqual(alone.ranks[rank - 1]![mode]);
      });
    }
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { latinReadingOf } from "../../src/search/analysis/latin-reading.js";
import { queryTerms } from "../../src/search/analysis/query-terms.js";
import { Stemmers } from "../../src/search/analysis/stemming.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

describe("a query in Latin letters", () => {
  it.each([
    ["du lịch", ["en", "vi"], "syllables"],
    ["du lịch", ["en"], "words"],
    ["du lịch", ["en", "vi", "yo"], "syllables"],
    ["du lịch", ["en", "vi", "ig"], "either"],
    ["đĩa", ["en", "vi", "id", "hr"], "syllables"],
    ["đi", ["en", "vi", "hr"], "either"],
    ["quê", ["vi", "es", "fr"], "either"],
    ["còn", ["vi", "es", "id"], "syllables"],
    ["còn", ["vi", "xx"], "syllables"],
    ["mañana", ["vi", "es"], "words"],
    ["máy tính xách tay", ["vi", "yo"], "either"],
    ["điện thoại mới", ["vi", "yo", "ig"], "syllables"],
    ["ọlọ́pàá gbé ìbọn", ["vi", "yo"], "words"],
    ["ọlọ́pàá gbé ìbọn".normalize("NFD"), ["vi", "yo"], "words"],
    ["ọba àjà", ["vi", "yo"], "either"],
    ["ọba ṣe", ["yo", "vi"], "words"],
    ["cheap phones", ["en", "vi", "yo"], "words"],
  ] as const)("is read as its letters and the index's languages say: %s, %s", (query, languages, reading) => {
    expect(latinReadingOf(query, languages)).toBe(reading);
  });

  it("has, where it may be either, the syllable among the alternatives of each word, and phrases", async () => {
    const stemmers = new Stemmers();
    await stemmers.load(["vi", "ig"]);
    const { terms, phrases } = queryTerms('"du lịch"', ["vi", "ig"], stemmers);
    const words = terms.filter(({ kind }) => kind === "word");
    expect(words.map(({ alternatives }) => alternatives.includes("du"))).toEqual([true, false]);
    expect(words[1]!.alternatives).toEqual(expect.arrayContaining(["lịch"]));
    expect(phrases[0]!.map(({ kind }) => kind)).toEqual(["word", "word"]);
  });
});

describe("an index of Yoruba, Igbo and Vietnamese", () => {
  const TEXTS = [
    ["yo", "Àwọn agbófinró ọlọ́pàá gbé ìbọn"],
    ["yo", "ọba ra àjà"],
    ["ig", "ụlọ akwụkwọ dị mma"],
    ["vi", "du lịch Hà Nội"],
    ["vi", "điện thoại mới"],
    ["en", "a king and a dog"],
  ] as const;
  let index: SearchIndex;
  beforeAll(async () => {
    index = await buildMemoryIndex(TEXTS.map(([lang, text], i) => ({ id: `web_gnw_${i}`, lang, text })));
  });

  it.each(TEXTS.map(([lang, text], row) => [lang, text, row] as const))(
    "finds each text by its words: %s, %s",
    async (_, text, row) => {
      const { rows } = await index.rank(text, RowSet.all(TEXTS.length), { limit: 1, mode: "keyword" });
      expect(rows).toEqual([row]);
    },
  );
});

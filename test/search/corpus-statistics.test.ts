import { describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import type { KeywordSegment } from "../../src/search/keyword/keyword-segment.js";
import type { PlacedSegment } from "../../src/search/keyword/placed-segment.js";
import { CorpusStatistics } from "../../src/search/keyword/ranking/corpus-statistics.js";
import { StatisticsOnDemand } from "../../src/search/keyword/ranking/statistics-on-demand.js";
import { typicalLength } from "../../src/search/keyword/ranking/typical-length.js";
import { turnsDuring } from "../support/turns-during.js";
import { totalsOf } from "./length-totals.js";

const { k1, b } = SEARCH_DEFAULTS.keyword;
/** More rows than are measured at a time; each segment numbers the languages its own way. */
const PARTS = [
  { rows: 150_000, languages: ["en", "zh", "de"] },
  { rows: 9, languages: ["zh"] },
  { rows: 140_000, languages: ["id", "en"] },
];

interface Measured {
  readonly language: string;
  readonly length: number;
}

const documents: Measured[] = [];
const segments: PlacedSegment[] = [];
for (const { rows, languages } of PARTS) {
  const first = documents.length;
  const lengths = Uint32Array.from({ length: rows }, (_, row) => 1 + ((row * 7919) % 97) ** 2);
  const numbers = Uint16Array.from({ length: rows }, (_, row) => (row * 31) % languages.length);
  for (let row = 0; row < rows; row += 1)
    documents.push({ language: languages[numbers[row]!]!, length: lengths[row]! });
  const manifest = { documentCount: rows, languages: languages.map((language) => ({ language })) };
  segments.push({
    first,
    keyword: { manifest, lengths, languages: numbers } as unknown as KeywordSegment,
  });
}

/** The same by its definition, over the documents of a language. */
function expectedOf(of: readonly Measured[]) {
  const totals = totalsOf(of.map(({ length }) => length));
  return { documents: totals.documents, length: totals.length, typical: typicalLength(totals) };
}

describe.each([
  ["all rows", undefined],
  ["some rows", RowSet.fromPredicate(documents.length, (row) => row % 3 !== 0)],
])("statistics of %s", (_, live) => {
  it("are those of each language over all segments", () => {
    const { languages, norms, documentCount } = CorpusStatistics.of(segments, live);
    const shown = documents.filter((_document, row) => live?.has(row) ?? true);
    expect(documentCount).toBe(shown.length);
    expect([...languages.keys()]).toEqual(["en", "zh", "de", "id"]);
    for (const [language, measured] of languages)
      expect(measured).toEqual(expectedOf(shown.filter((each) => each.language === language)));
    const wrong = documents.filter(({ language, length }, row) => {
      const { typical } = languages.get(language)!;
      return norms[row] !== Math.fround(2 * k1 * (1 - b + (b * length) / typical));
    });
    expect(wrong).toEqual([]);
  });

  it("are the same measured in turns of the event loop", async () => {
    const onDemand = new StatisticsOnDemand(segments, live);
    const { turns } = await turnsDuring(() => Promise.all([onDemand.measure(), onDemand.measure()]));
    expect(turns).toBeGreaterThanOrEqual(12);
    const { languages, norms } = CorpusStatistics.of(segments, live);
    expect(onDemand.all.languages).toEqual(languages);
    expect(onDemand.all.norms).toEqual(norms);
  });
});

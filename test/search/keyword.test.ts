import { mkdtemp, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { DocumentTerms } from "../../src/search/analysis/document-terms.js";
import type { QueryTerm } from "../../src/search/analysis/query-terms.js";
import { queryTerms } from "../../src/search/analysis/query-terms.js";
import { Stemmers } from "../../src/search/analysis/stemming.js";
import type { NumberedTerms, TermKind } from "../../src/search/analysis/term.js";
import { WordForms } from "../../src/search/analysis/word-forms.js";
import { KeywordSegment } from "../../src/search/keyword/keyword-segment.js";
import type { PlacedSegment } from "../../src/search/keyword/placed-segment.js";
import { VarintReader, varintLength, writeVarint } from "../../src/search/keyword/postings/varint.js";
import { Bm25 } from "../../src/search/keyword/ranking/bm25.js";
import { rowsWithPhrases } from "../../src/search/keyword/ranking/phrase.js";
import { kthScore } from "../../src/search/keyword/ranking/select.js";
import { runs } from "../support/campaign.js";
import { type KeywordIndexOptions, writeKeywordIndex } from "../support/keyword-index.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-keyword-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A document as plain words, all in one field. */
interface Doc {
  readonly words: readonly string[];
  readonly language?: string;
}

async function segmentOf(documents: readonly Doc[], options?: KeywordIndexOptions): Promise<KeywordSegment> {
  const dir = await mkdtemp(join(folder, "segment-"));
  await writeIndex(dir, documents, options);
  return KeywordSegment.open(dir);
}

function writeIndex(dir: string, documents: readonly Doc[], options?: KeywordIndexOptions): Promise<void> {
  const asTerms = documents.map(({ words, language = "en" }) => ({
    language,
    terms: words.map((text, position) => ({ text, kind: "word" as const, position })),
  }));
  return writeKeywordIndex(dir, asTerms, options);
}

it("a keyword index is not written on once it is given up", async () => {
  const dir = await mkdtemp(join(folder, "segment-"));
  const given = new AbortController();
  const reason = new Error("given up");
  const writing = writeIndex(dir, Array(20).fill({ words: ["one", "two"] }), {
    chunk: 1,
    signal: given.signal,
  });
  given.abort(reason);
  await expect(writing).rejects.toBe(reason);
  const left = await readdir(dir);
  expect(left.filter((name) => /log|manifest|json/.test(name))).toEqual([]);
});

async function placed(...parts: (readonly Doc[])[]): Promise<PlacedSegment[]> {
  const segments: PlacedSegment[] = [];
  let first = 0;
  for (const part of parts) {
    segments.push({ first, keyword: await segmentOf(part) });
    first += part.length;
  }
  return segments;
}

const word = (term: string, position = 0): QueryTerm => ({
  alternatives: [term],
  kind: "word",
  position,
  surface: term,
  questionIn: [],
});
const byRow = (a: number, b: number) => a - b;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const mean = (values: readonly number[]) => sum(values) / values.length;

/** The average length, or most of that of the long documents; where lengths differ much, that of the longest. */
function typicalLength(lengths: readonly number[]): number {
  const average = mean(lengths);
  if (average === 0) return 0;
  const ofWord = sum(lengths.map((length) => length ** 2)) / sum(lengths);
  const from = (share: number) => mean(lengths.filter((length) => length >= share * ofWord * (1 - 1e-12)));
  const least = Math.max(average, 0.85 * from(0.45));
  const mixed = Math.min(1, Math.max(0, (ofWord / average - 1.3) / 0.7));
  return (1 - mixed) * least + mixed * Math.max(least, Math.min(8 * average, from(1)));
}

/**
 * BM25 as the papers write it, over every document, with the smoothing towards the whole that one language makes vain; rarity is
 * that among documents of the typical length.
 */
function naive(documents: readonly Doc[], query: readonly string[]): Map<number, number> {
  const [k1, b] = [1.2, 0.75];
  const lengths = documents.map(({ words }) => words.length);
  const typical = typicalLength(lengths);
  const ratio = sum(lengths) === 0 ? 1 : Math.max(1, (typical * documents.length) / sum(lengths));
  const collection = documents.length / ratio;
  const scores = new Map<number, number>();
  for (const term of new Set(query)) {
    const weight = query.filter((t) => t === term).length;
    const holding = documents.filter(({ words }) => words.includes(term)).length;
    const frequency = collection * (1 - (1 - holding / documents.length) ** ratio);
    const idf = Math.max(0.01, Math.log(1 + Math.max(0, collection - frequency + 0.5) / (frequency + 0.5)));
    documents.forEach(({ words }, row) => {
      const tf = words.filter((w) => w === term).length;
      if (tf === 0) return;
      const norm = k1 * (1 - b + (b * words.length) / typical);
      scores.set(row, (scores.get(row) ?? 0) + (weight * idf * tf * (k1 + 1)) / (tf + norm));
    });
  }
  return scores;
}

const wordArbitrary = fc.constantFrom(..."abcdefgh".split(""), "rare", "手机", "émoji", "x".repeat(200));
const documentArbitrary = fc.array(wordArbitrary, { maxLength: 12 }).map((words): Doc => ({ words }));

describe("variable-length integers", () => {
  it("come back as they went", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff_ffff })), (values) => {
        const bytes = new Uint8Array(values.length * 5);
        let at = 0;
        for (const value of values) {
          const next = writeVarint(bytes, at, value);
          expect(next - at).toBe(varintLength(value));
          at = next;
        }
        const reader = new VarintReader(bytes);
        expect(values.map(() => reader.next())).toEqual(values);
      }),
    );
  });
});

describe("postings", () => {
  it("hold every row, frequency and position of long and short lists, in any number of passes", async () => {
    const documents = Array.from(
      { length: 1000 },
      (_, row): Doc => ({
        words: [
          ...(row % 2 === 0 ? ["even", "even"] : []),
          ...(row % 300 === 7 ? ["rare"] : []),
          `only${row}`,
          "all",
        ],
      }),
    );
    const segments = [await segmentOf(documents), await segmentOf(documents, { memory: 100, chunk: 64 })];
    for (const [term, expected] of [
      ["even", documents.flatMap((_, row) => (row % 2 === 0 ? [[row, 4]] : []))],
      ["rare", [7, 307, 607, 907].map((row) => [row, 2])],
      ["only999", [[999, 2]]],
      ["all", documents.map((_, row) => [row, 2])],
    ] as const) {
      for (const segment of segments) {
        const entry = segment.find(term)!;
        expect(entry.documents).toBe(expected.length);
        const cursor = segment.cursor(entry);
        const found: number[][] = [];
        while (cursor.next()) found.push([cursor.row, cursor.frequency]);
        expect(found).toEqual(expected);
        expect(segment.find("absent")).toBeUndefined();
      }
    }
    for (const segment of segments) segment.close();
  });

  it("are stepped through by block as they are one by one", async () => {
    const documents = Array.from(
      { length: 3000 },
      (_, row): Doc => ({ words: row % 3 === 0 ? ["a"] : ["b"] }),
    );
    const segment = await segmentOf(documents);
    const entry = segment.find("a")!;
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 3100 })), (targets) => {
        const cursor = segment.cursor(entry);
        for (const target of targets.sort(byRow)) {
          const next = Math.ceil(target / 3) * 3;
          expect(cursor.advance(target)).toBe(next < 3000);
          if (next < 3000) expect(cursor.row).toBe(next);
        }
      }),
    );
    segment.close();
  });
});

describe("the k-th largest", () => {
  it("is that of the sorted values", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }), fc.nat(), (values, n) => {
        const k = (n % values.length) + 1;
        expect(kthScore(Float64Array.from(values), values.length, k)).toBe(
          values.toSorted((a, b) => b - a)[k - 1],
        );
      }),
    );
  });
});

describe("BM25", () => {
  it("scores as the formula does, over one segment or several", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documentArbitrary, { minLength: 1, maxLength: 30 }),
        fc.array(wordArbitrary, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        async (documents, query, cut) => {
          const at = cut % documents.length;
          const expected = naive(documents, query);
          const rankings = [];
          for (const parts of [[documents], [documents.slice(0, at), documents.slice(at)]]) {
            const segments = await placed(...parts);
            const bm25 = new Bm25(segments);
            rankings.push(
              await bm25.rank(
                bm25.query(query.map((t) => word(t))),
                RowSet.all(documents.length),
                100,
                byRow,
              ),
            );
            for (const { keyword } of segments) keyword.close();
          }
          const [one, two] = rankings;
          expect(two).toEqual(one);
          expect(new Set(one!.rows)).toEqual(new Set(expected.keys()));
          one!.rows.forEach((row, i) => {
            expect(one!.scores[i]).toBeCloseTo(expected.get(row)!, 4);
          });
        },
      ),
      runs(30),
    );
  });

  it("prunes without changing a row, a score or the order", async () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const documents = Array.from({ length: 20_000 }, (): Doc => {
      const words = random() < 0.6 ? ["common"] : [];
      if (random() < 0.5) words.push("usual", "usual");
      if (random() < 0.02) words.push("rare");
      if (random() < 0.03)
        words.push("scarce", ...Array.from({ length: Math.floor(random() * 20) }, () => "pad"));
      return { words };
    });
    const segments = await placed(documents.slice(0, 12_345), documents.slice(12_345));
    const bm25 = new Bm25(segments);
    const terms = ["rare", "scarce", "common", "usual"].map((t) => word(t));
    const full = await bm25.rank(bm25.query(terms), RowSet.all(20_000), 20_000, byRow);
    for (const limit of [1, 10, 300]) {
      const pruned = await bm25.rank(bm25.query(terms), RowSet.all(20_000), limit, byRow);
      expect(pruned.rows).toEqual(full.rows.slice(0, limit));
      expect(pruned.scores).toEqual(full.scores.slice(0, limit));
    }
    const some = RowSet.fromPredicate(20_000, (row) => row % 7 === 0);
    expect((await bm25.rank(bm25.query(terms), some, 10, byRow)).rows).toEqual(
      full.rows.filter((row) => row % 7 === 0).slice(0, 10),
    );
    for (const { keyword } of segments) keyword.close();
  });

  it("counts only live rows, as an index of them alone would", async () => {
    const documents: Doc[] = [
      { words: ["a", "b"] },
      { words: ["a"] },
      { words: ["a", "c", "c", "c"] },
      { words: ["b", "c"], language: "de" },
    ];
    const live = RowSet.of(4, [0, 2]);
    const [segments, ofThem] = [await placed(documents), await placed([documents[0]!, documents[2]!])];
    const ofAll = new Bm25(segments, live);
    const ofLive = new Bm25(ofThem);
    const terms = [word("a"), word("b")];
    const all = await ofAll.rank(ofAll.query(terms), live, 10, byRow);
    const alone = await ofLive.rank(ofLive.query(terms), RowSet.all(2), 10, byRow);
    expect(all.scores).toEqual(alone.scores);
    expect(all.rows).toEqual(alone.rows.map((row) => row * 2));
    for (const { keyword } of [...segments, ...ofThem]) keyword.close();
  });

  it("takes a word's forms in several languages as one word", async () => {
    const segments = await placed([{ words: ["econom"] }, { words: ["economi"] }, { words: ["other"] }]);
    const term: QueryTerm = { ...word("econom"), alternatives: ["econom", "economi"] };
    const bm25 = new Bm25(segments);
    const { rows, scores } = await bm25.rank(bm25.query([term]), RowSet.all(3), 10, byRow);
    expect(rows).toEqual([0, 1]);
    expect(scores[0]).toBe(scores[1]);
    for (const { keyword } of segments) keyword.close();
  });
});

describe("a form of a word that only some languages have", () => {
  it("counts in these alone, whatever ends like it in others", async () => {
    const documents = [
      ...Array.from({ length: 40 }, (): Doc => ({ words: ["determin", "price"], language: "en" })),
      ...Array.from(
        { length: 4 },
        (_, i): Doc => ({
          words: i === 0 ? ["determin", "lume"] : ["lume"],
          language: "ro",
        }),
      ),
    ];
    const segments = await placed(documents);
    const bm25 = new Bm25(segments);
    const forms = new WordForms("latin", []);
    forms.add("determin", "ro");
    forms.add("determinista", "en");
    const term = { ...word("determin"), alternatives: forms.texts() };
    const idf = (terms: QueryTerm[]) => bm25.query(terms).groups[0]!.gain;
    expect(idf([{ ...term, forms }])).toBeGreaterThan(2 * idf([term]));
    const other = new WordForms("latin", []);
    other.add("price", "ro");
    expect(bm25.query([{ ...word("price"), forms: other }])).toMatchObject({ known: false, groups: [] });
    for (const { keyword } of segments) keyword.close();
  });
});

describe("phrases", () => {
  const texts = [
    "a wireless mouse for the office",
    "the mouse is wireless",
    "wireless keyboard and wireless mouse",
    "mouse. Wireless",
  ];

  it("need their words one after another", async () => {
    const stemmers = new Stemmers();
    await stemmers.load(["en"]);
    const dir = await mkdtemp(join(folder, "phrases-"));
    const documents = texts.map((text) => {
      const terms: { text: string; kind: TermKind; position: number }[] = [];
      const sink = {
        term: (number: number, position: number, named: NumberedTerms) => {
          const { text, kind } = named.at(number);
          terms.push({ text, kind, position });
        },
      };
      new DocumentTerms(stemmers, sink).read(text, "en", 0);
      return { terms, language: "en" };
    });
    await writeKeywordIndex(dir, documents);
    const segments = [{ first: 0, keyword: await KeywordSegment.open(dir) }];
    const rows = (query: string) =>
      rowsWithPhrases(segments, queryTerms(query, ["en"], stemmers).phrases, RowSet.all(4));
    expect(await rows('"wireless mouse"')).toEqual([0, 2]);
    expect(await rows('"mouse" "keyboards"')).toEqual([2]);
    expect(await rows('"absent mouse"')).toEqual([]);
    segments[0]!.keyword.close();
  });

  it("are looked for in turns, each phrase once, and not on once the search is aborted", async () => {
    const documents = Array.from({ length: 3000 }, (_, row) => ({
      words: ["the", row % 2 === 0 ? "red" : "blue", "the"],
    }));
    const segments = await placed(documents);
    const phrases = [["the"], ["the", "red"], ["the"]].map((each) => each.map((text, i) => word(text, i)));
    let waits = 0;
    const find = (of: typeof phrases, most = Number.POSITIVE_INFINITY) => {
      waits = 0;
      const wait = async () => {
        waits += 1;
        if (waits > most) throw new Error("aborted");
      };
      return rowsWithPhrases(segments, of, RowSet.all(documents.length), { postings: 2000, wait });
    };
    const expected = documents.flatMap((_, row) => (row % 2 === 0 ? [row] : []));
    expect(await find(phrases)).toEqual(expected);
    const once = waits;
    expect(once).toBeGreaterThan(20);
    const again = Array.from({ length: 50 }, () => phrases).flat();
    expect(await find(again)).toEqual(expected);
    expect(waits).toBe(once);
    await expect(find(phrases, 5)).rejects.toThrow("aborted");
    expect(waits).toBe(6);
    for (const { keyword } of segments) keyword.close();
  });

  it("are found as a search of the words finds them", async () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(letters, { minLength: 1, maxLength: 200 }),
        fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }),
        async (documents, phrase) => {
          const segments = await placed(documents.map((words) => ({ words })));
          const found = await rowsWithPhrases(
            segments,
            [phrase.map((term, i) => word(term, i))],
            RowSet.all(documents.length),
          );
          const expected = documents.flatMap((words, row) =>
            ` ${words.join(" ")} `.includes(` ${phrase.join(" ")} `) ? [row] : [],
          );
          expect(found).toEqual(expected);
          segments[0]!.keyword.close();
        },
      ),
      runs(50),
    );
  });
});

describe("the files of a keyword index", () => {
  it("are the same bytes on every build, and leave nothing else", async () => {
    const documents = Array.from(
      { length: 500 },
      (_, row): Doc => ({
        words: [`w${row % 17}`, `w${row % 5}`, "common"],
        language: row % 3 === 0 ? "de" : "en",
      }),
    );
    const read = async (options?: KeywordIndexOptions) => {
      const dir = await mkdtemp(join(folder, "bytes-"));
      await writeIndex(dir, documents, options);
      const names = (await readdir(dir)).sort();
      return Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), "hex")]));
    };
    const first = await read();
    expect(first.map(([name]) => name)).toEqual([
      "keyword.json",
      "languages.bin",
      "lengths.bin",
      "positions.bin",
      "postings.bin",
      "terms.bin",
    ]);
    expect(await read()).toEqual(first);
    for (const options of [{ chunk: 1 }, { chunk: 7 }, { chunk: 499, memory: 50 }])
      expect(await read(options)).toEqual(first);
  });

  it("are refused when they are cut short", async () => {
    for (const name of ["keyword.json", "languages.bin", "lengths.bin", "terms.bin"]) {
      const dir = await mkdtemp(join(folder, "short-"));
      await writeIndex(dir, [{ words: ["a", "b"] }]);
      const { size } = await stat(join(dir, name));
      await truncate(join(dir, name), size - 3);
      await expect(KeywordSegment.open(dir), name).rejects.toMatchObject({
        name: "SearchError",
        code: "keyword_index_unreadable",
      });
    }
  });
});

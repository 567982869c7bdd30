import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import type { QueryTerm } from "../../src/search/analysis/query-terms.js";
import type { TermKind } from "../../src/search/analysis/term.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import type { CandidateRows } from "../../src/search/document.js";
import { KeywordSegment } from "../../src/search/keyword/keyword-segment.js";
import type { PlacedSegment } from "../../src/search/keyword/placed-segment.js";
import { Bm25, type ScoredRows } from "../../src/search/keyword/ranking/bm25.js";
import { CorpusStatistics } from "../../src/search/keyword/ranking/corpus-statistics.js";
import { queryLanguages } from "../../src/search/keyword/ranking/query-languages.js";
import { writeKeywordIndex } from "../support/keyword-index.js";

const ROWS = 20_000;
const LANGUAGES = ["en", "de", "zh"];
const { k1, kindWeights, rescored } = SEARCH_DEFAULTS.keyword;
const UNITS: Partial<Record<TermKind, number>> = { character: 1 };

/** Terms of a document: how often each occurs. Affixes begin with <, joints with +, characters with @. */
interface Doc {
  readonly counts: ReadonlyMap<string, number>;
  readonly language: string;
}

let state = 7;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const KINDS: Readonly<Record<string, TermKind>> = { "<": "affix", "+": "joint", "@": "character" };

function kindOf(term: string): TermKind {
  return KINDS[term[0]!] ?? "word";
}

/** Words, characters, affixes and joints from such as half of the documents hold to such as one in 5,000 does. */
const VOCABULARY = Array.from({ length: 40 }, (_, n) => ({
  term: `${["", "@", "<", "+"][n % 4]!}t${n}`,
  share: 0.6 / 1.27 ** n,
}));
const documents = Array.from({ length: ROWS }, (): Doc => {
  const counts = new Map<string, number>();
  for (const { term, share } of VOCABULARY) {
    if (random() < share) counts.set(term, random() < 0.001 ? 300 : 1 + Math.floor(random() ** 4 * 6));
  }
  counts.set("pad", 1 + Math.floor(random() ** 3 * 60));
  return { counts, language: LANGUAGES[Math.floor(random() * 3)]! };
});

let folder: string;
const placements: PlacedSegment[][] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-bm25-"));
  for (const cuts of [[ROWS], [7_001, 7_500, 15_555, ROWS]]) {
    const segments: PlacedSegment[] = [];
    for (const [i, end] of cuts.entries()) {
      const first = i === 0 ? 0 : cuts[i - 1]!;
      segments.push({ first, keyword: await segmentOf(documents.slice(first, end)) });
    }
    placements.push(segments);
  }
});
afterAll(async () => {
  for (const { keyword } of placements.flat()) keyword.close();
  await rm(folder, { recursive: true });
});

async function segmentOf(part: readonly Doc[]): Promise<KeywordSegment> {
  const dir = await mkdtemp(join(folder, "segment-"));
  const documents = part.map(({ counts, language }) => ({
    language,
    terms: [...counts].flatMap(([text, count]) =>
      Array.from({ length: count }, (_, position) => ({ text, kind: kindOf(text), position })),
    ),
  }));
  await writeKeywordIndex(dir, documents, { chunk: 3000 });
  return KeywordSegment.open(dir);
}

function queryTerm(alternatives: readonly string[]): QueryTerm {
  return {
    alternatives: [...alternatives].sort(),
    kind: kindOf(alternatives[0]!),
    position: 0,
    surface: "",
    questionIn: [],
  };
}

const byRow = (a: number, b: number) => a - b;

/**
 * Every row's score in one order of additions, over the documents themselves; affixes and joints for the best without them, and affixes
 * for all where those are few.
 */
function evaluate(
  terms: readonly QueryTerm[],
  live: CandidateRows,
  candidates: CandidateRows,
  limit: number,
): ScoredRows {
  const statistics = CorpusStatistics.of(placements[0]!, live);
  const counted = terms.map(({ alternatives, kind }) => {
    const merged = new Map<string, number>();
    for (const term of alternatives) {
      for (const language of LANGUAGES) {
        const count = documents.filter(
          (d, row) => live.has(row) && d.language === language && d.counts.has(term),
        ).length;
        if (count > 0) merged.set(language, Math.max(count, merged.get(language) ?? 0));
      }
    }
    return { alternatives, kind, frequencies: merged };
  });
  const languages = queryLanguages(counted, statistics);
  const groups = counted.map(({ alternatives, kind, frequencies }) => {
    const weight = (kindWeights as Partial<Record<TermKind, number>>)[kind] ?? 1;
    return {
      alternatives,
      kind,
      weight: weight * statistics.idf(frequencies, languages),
      order: alternatives.join("\n"),
    };
  });
  groups.sort((a, b) => b.weight - a.weight || (a.order < b.order ? -1 : 1));
  const scores = new Float64Array(ROWS);
  const add = (of: typeof groups, rows: Iterable<number>) => {
    for (const row of rows) {
      for (const { alternatives, kind, weight } of of) {
        const count = alternatives.reduce((sum, term) => sum + (documents[row]!.counts.get(term) ?? 0), 0);
        const frequency = count * (UNITS[kind] ?? 2);
        if (frequency > 0)
          scores[row]! += (weight * (k1 + 1) * frequency) / (frequency + statistics.norms[row]!);
      }
    }
  };
  const compare = (a: number, b: number) => scores[b]! - scores[a]! || byRow(a, b);
  const allowed = [...candidates.rows()];
  const matching = () => allowed.filter((row) => scores[row]! > 0).sort(compare);
  const affixes = groups.filter(({ kind }) => kind === "affix");
  let rest = groups.filter(({ kind }) => kind === "affix" || kind === "joint");
  const words = groups.filter((group) => !rest.includes(group));
  add(words, allowed);
  let found = matching();
  if (found.length < limit && affixes.length > 0) {
    add(affixes, allowed);
    found = matching();
    rest = rest.filter((group) => !affixes.includes(group));
  }
  if (rest.length > 0 && found.length > 0) {
    const floor = scores[found[Math.max(limit, rescored) - 1] ?? found.at(-1)!]!;
    found = found.filter((row) => scores[row]! >= floor);
    add(rest, found);
  }
  const rows = found.sort(compare).slice(0, limit);
  return { rows, scores: rows.map((row) => scores[row]!) };
}

describe("ranking", () => {
  it("is that of full evaluation to the last bit, for any terms, filter, deletions and segments", {
    tags: "slow",
  }, async () => {
    const pick = () => VOCABULARY[Math.floor(random() * VOCABULARY.length)]!.term;
    for (let run = 0; run < 40; run += 1) {
      const chosen = new Map<string, QueryTerm>();
      for (let n = Math.floor(random() * 12); n >= 0; n -= 1) {
        const term = pick();
        const other = pick();
        const merged = random() < 0.3 && kindOf(term) === kindOf(other) && term !== other;
        const made = queryTerm(merged ? [term, other] : [term]);
        chosen.set(made.alternatives.join("\n"), made);
      }
      const terms = [...chosen.values()];
      const live = run % 3 === 0 ? RowSet.fromPredicate(ROWS, () => random() < 0.9) : RowSet.all(ROWS);
      const share = [1, 0.3, 0.02, 0.002][run % 4]!;
      const filter = share === 1 ? RowSet.all(ROWS) : RowSet.fromPredicate(ROWS, () => random() < share);
      const candidates = live.and(filter);
      const limit = [10, 300, 1, 1000][Math.floor(random() * 4)]!;
      const expected = evaluate(terms, live, candidates, limit);
      for (const segments of placements) {
        const bm25 = new Bm25(segments, live);
        for (let again = 0; again < 2; again += 1) {
          expect(await bm25.rank(bm25.query(terms), candidates, limit, byRow), `run ${run}`).toEqual(
            expected,
          );
        }
      }
    }
  });
});

describe("a keyword index", () => {
  it("of another format is refused", async () => {
    const dir = await mkdtemp(join(folder, "format-"));
    await writeKeywordIndex(dir, [{ terms: [], language: "en" }]);
    const path = join(dir, "keyword.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    for (const formatVersion of [manifest.formatVersion - 1, manifest.formatVersion + 1]) {
      await writeFile(path, JSON.stringify({ ...manifest, formatVersion }));
      await expect(KeywordSegment.open(dir)).rejects.toMatchObject({ code: "keyword_index_unreadable" });
    }
  });

  it("walks common and rare terms alike", () => {
    for (const { first, keyword } of placements.flat()) {
      const rows = keyword.manifest.documentCount;
      for (const { term } of VOCABULARY) {
        const expected = documents
          .slice(first, first + rows)
          .flatMap(({ counts }, row) =>
            counts.has(term) ? [[row, counts.get(term)! * (UNITS[kindOf(term)] ?? 2)]] : [],
          );
        const entry = keyword.find(term);
        expect(entry?.documents ?? 0).toBe(expected.length);
        if (entry === undefined) continue;
        const walk = keyword.cursor(entry);
        const found: number[][] = [];
        while (walk.next()) found.push([walk.row, walk.frequency]);
        expect(found).toEqual(expected);
        const jump = keyword.cursor(entry);
        for (let target = 0; target < rows; target += 1 + Math.floor(random() * 300)) {
          const ordinal = expected.findIndex(([row]) => row! >= target);
          expect(jump.advance(target)).toBe(ordinal >= 0);
          if (ordinal >= 0) expect([jump.row, jump.ordinal]).toEqual([expected[ordinal]![0], ordinal + 1]);
        }
      }
    }
  });

  it("is the same when it pauses, however many ask at once, and when one of them gives up", async () => {
    const rows = RowSet.all(ROWS);
    const asked = Array.from({ length: 8 }, (_, i) =>
      Array.from({ length: 6 }, (_, n) => queryTerm([VOCABULARY[(i * 7 + n * 3) % VOCABULARY.length]!.term])),
    );
    const bm25 = new Bm25(placements[0]!);
    const reason = new Error("enough");
    let pauses = 0;
    const rankings = await Promise.allSettled(
      asked.map((terms, i) =>
        bm25.rank(bm25.query(terms), rows, 20, byRow, {
          postings: 0,
          wait: async () => {
            pauses += 1;
            await new Promise(setImmediate);
            if (i === 2) throw reason;
          },
        }),
      ),
    );
    expect(pauses).toBeGreaterThan(8);
    for (const [i, ranking] of rankings.entries()) {
      if (i === 2) expect(ranking).toEqual({ status: "rejected", reason });
      else expect(ranking).toEqual({ status: "fulfilled", value: evaluate(asked[i]!, rows, rows, 20) });
    }
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { type QueryTerm, queryTerms } from "../analysis/query-terms.js";
import { Stemmers } from "../analysis/stemming.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { ReflectiveEmbedder } from "../embed/reflective-embedder.js";
import { EMBEDDER, KEYWORD, LOCAL_VECTORS } from "../index-manifest.js";
import { readLanguages } from "../keyword/keyword-manifest.js";
import { KeywordSegment } from "../keyword/keyword-segment.js";
import type { PlacedSegment } from "../keyword/placed-segment.js";
import { Bm25 } from "../keyword/ranking/bm25.js";
import { NO_HINT } from "../vector/recall/recall-sample.js";
import { VECTOR_FILES } from "../vector/vector-files.js";

/** A segment with queries made from the texts of some of its rows. */
export interface SampledSegment {
  readonly count: number;
  readonly sampleQueries: readonly string[];
}

/**
 * Embeds the queries that were made from the texts of segments as a search would, and keeps them with the segments' local sets,
 * for measuring recall; with those of sets that get a graph, the rows that a search would begin with. Sets too small to be measured
 * get none.
 * @param segments names of all segments of the index, whose keyword indexes are written
 */
export async function writeSamples(
  dir: string,
  segments: readonly string[],
  written: readonly { readonly name: string; readonly writer: SampledSegment }[],
  mayGetGraph: (count: number) => boolean,
): Promise<void> {
  const measured = written.filter(({ writer }) => writer.count >= SEARCH_DEFAULTS.vector.codesFrom);
  if (measured.length === 0) return;
  const stemmers = new Stemmers();
  const languages = await readLanguages(segments.map((name) => join(dir, name, KEYWORD)));
  await stemmers.load(languages);
  const analyze = (query: string) => queryTerms(query, languages, stemmers).terms;
  const embedder = await ReflectiveEmbedder.open(join(dir, EMBEDDER), analyze);
  const needsHints = measured.some(({ writer }) => mayGetGraph(writer.count));
  const words = needsHints ? await openWords(dir, segments) : [];
  try {
    const bm25 = new Bm25(words);
    const all = RowSet.all(words.reduce((sum, { keyword }) => sum + keyword.manifest.documentCount, 0));
    for (const { name, writer } of measured) {
      const vectors: Uint8Array[] = [];
      const hints: Uint8Array[] = [];
      for (const text of writer.sampleQueries) {
        const vector = await embedder.embedQuery(text);
        if (vector === undefined) continue;
        vectors.push(new Uint8Array(vector.buffer));
        if (!mayGetGraph(writer.count)) continue;
        hints.push(
          new Uint8Array((await hintsOf(bm25, analyze(text), words[segments.indexOf(name)]!, all)).buffer),
        );
      }
      const at = join(dir, name, LOCAL_VECTORS);
      await writeFile(join(at, VECTOR_FILES.queries), Buffer.concat(vectors));
      if (hints.length > 0) await writeFile(join(at, VECTOR_FILES.hints), Buffer.concat(hints));
    }
  } finally {
    embedder.close();
    for (const { keyword } of words) keyword.close();
  }
}

async function openWords(dir: string, segments: readonly string[]): Promise<PlacedSegment[]> {
  const placed: PlacedSegment[] = [];
  let first = 0;
  for (const name of segments) {
    const keyword = await KeywordSegment.open(join(dir, name, KEYWORD));
    placed.push({ first, keyword });
    first += keyword.manifest.documentCount;
  }
  return placed;
}

/** The rows of a segment that a search for these terms would begin with; then no row. */
async function hintsOf(
  bm25: Bm25,
  terms: readonly QueryTerm[],
  { first, keyword }: PlacedSegment,
  all: RowSet,
): Promise<Uint32Array> {
  const { hints } = SEARCH_DEFAULTS.vector.graph;
  const { rows } = await bm25.top(bm25.query(terms), all, hints, (a, b) => a - b);
  const own = rows.filter((row) => row >= first && row < first + keyword.manifest.documentCount);
  return Uint32Array.from({ length: hints }, (_, i) => (i < own.length ? own[i]! - first : NO_HINT));
}

import { rememberLast } from "../analysis/last-query.js";
import { queryTerms } from "../analysis/query-terms.js";
import { primaryLanguage } from "../analysis/stemming.js";
import type { IndexDocument } from "../document.js";
import { ReflectiveEmbedder } from "../embed/reflective-embedder.js";
import { EventLoopQueue } from "../event-loop-queue.js";
import type { FeatureChunk } from "../fit/chunk-features.js";
import type { SearchIndex } from "../search-index.js";
import { Analyzer } from "../segment/analyzer.js";
import { ChunkBuilder } from "../segment/chunk-builder.js";
import { IdTable } from "../segment/id-table.js";
import { SegmentedIndex } from "../segmented-index.js";
import { MemoryKeywordBuilder } from "./memory-keyword.js";
import { fitInMemory } from "./memory-model.js";
import { MemoryVectors } from "./memory-vectors.js";

/**
 * Builds a search index in memory, for the few documents of a test: no files, no threads. It ranks as the index does that
 * `buildIndex` makes of the same documents in the same order, with equal scores.
 * @param documents one a row
 */
export async function buildMemoryIndex(documents: readonly IndexDocument[]): Promise<SearchIndex> {
  const languages = documents.map(({ lang }) => primaryLanguage(lang));
  const { keyword, features, counts, stemmers } = await analyse(documents, languages);
  const [words, model] = [await keyword.finish(), await fitInMemory(features, counts)];
  const known = [...new Set(languages)].sort();
  const analyze = rememberLast((query) => queryTerms(query, known, stemmers));
  const embedder = await ReflectiveEmbedder.of(
    model.id,
    model.vocabulary,
    model.features,
    (text) => analyze(text).terms,
  );
  const vectors = new MemoryVectors(model.vectors);
  const segment = {
    first: 0,
    ids: IdTable.of(documents.map(({ id }) => id)),
    keyword: words,
    made: vectors,
    downloaded: { vector: (row: number) => documents[row]?.vector?.values },
    place: undefined,
  };
  const searches = [{ first: 0, count: documents.length, search: vectors }];
  const opened = { segments: [segment], searches, close: async () => {} };
  return new SegmentedIndex(documents.length, opened, {
    embedder,
    fitted: embedder,
    madeBy: model.id,
    analyze,
    exact: true,
    queue: new EventLoopQueue(),
  });
}

async function analyse(documents: readonly IndexDocument[], languages: readonly string[]) {
  const analyzer = new Analyzer({ postings: true, features: true });
  const keyword = new MemoryKeywordBuilder();
  const features: FeatureChunk[] = [];
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const chunk = new ChunkBuilder();
  let analysed = 0;
  const flush = async () => {
    const size = chunk.size;
    if (size === 0) return;
    const { keyword: inverted, features: own } = await analyzer.analyse(chunk.take());
    keyword.add(inverted, languages.slice(analysed, analysed + size));
    features.push(own!);
    analysed += size;
  };
  for (const [row, document] of documents.entries()) {
    const language = languages[row]!;
    const number = numbers.get(language) ?? numbers.size;
    numbers.set(language, number);
    counts[number] = (counts[number] ?? 0) + 1;
    chunk.add(document, number);
    if (chunk.full) await flush();
  }
  await flush();
  return { keyword, features, counts, stemmers: analyzer.stemmers };
}

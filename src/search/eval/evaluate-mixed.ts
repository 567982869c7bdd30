import { join } from "node:path";
import { answeredOf, answerQueries, type ModeReport, reportModes } from "./answer-queries.js";
import { type EvaluateOptions, withWorkFolder } from "./evaluate.js";
import { type IndexedPassages, indexPassages } from "./index-passages.js";
import { countJudgments, type JudgmentCounts, sumCounts } from "./judgment-counts.js";
import { type JudgedQuery, type Passage, readJudged, readPassages } from "./read-beir.js";

/** A judged collection of one language. */
export interface Collection {
  readonly name: string;
  /** Reads the passages in batches; may be called again. */
  passages(): AsyncIterable<readonly Passage[]>;
  readonly queries: readonly JudgedQuery[];
  /** Counts of the folder it was read from; the same object in each collection of the folder. */
  readonly folder?: JudgmentCounts;
}

/** Options of {@link evaluateMixed}. */
export interface EvaluateMixedOptions extends EvaluateOptions {
  /** Further passages of the mixed lake, which answer no query. Reads them in batches; may be called again. */
  readonly distractors?: () => AsyncIterable<readonly Passage[]>;
  /** Queries that nothing in the mixed lake answers. */
  readonly unanswerable?: readonly string[];
}

/** Ranking quality on collections, each alone and all in one lake. */
export interface MixedReport extends JudgmentCounts {
  /** Passages of the mixed lake: those of the collections, and the others. */
  readonly passages: number;
  readonly distractors: number;
  readonly embedder: string;
  readonly collections: readonly MixedCollectionReport[];
  /** The unanswerable queries that found something. */
  readonly answered: readonly string[];
}

/** Ranking quality on a collection, alone and in a mixed lake. */
export interface MixedCollectionReport {
  readonly name: string;
  readonly passages: number;
  readonly queries: number;
  /** Quality in a lake that holds this collection only. */
  readonly alone: readonly ModeReport[];
  /** Quality in the mixed lake. */
  readonly together: readonly ModeReport[];
}

/**
 * Reads a folder in BEIR's format as collections: one per language, if its passages and queries name several, and the same.
 * @throws SearchError `beir_unreadable` for a folder that is not such a collection; `beir_repeated_id`, `beir_unjudged`
 */
export async function readCollections(dir: string, name: string): Promise<Collection[]> {
  const judged = await readJudged(dir);
  const { queries } = judged;
  const languages = new Set<string | undefined>();
  const ids = new Set<string>();
  for await (const batch of readPassages(dir))
    for (const { _id, lang } of batch) {
      languages.add(lang ?? undefined);
      ids.add(_id);
    }
  const folder = countJudgments(judged, ids);
  const asked = new Set(queries.map(({ lang }) => lang));
  if (languages.size < 2 || asked.size !== languages.size || [...asked].some((lang) => !languages.has(lang)))
    return [{ name, passages: () => readPassages(dir), queries, folder }];
  return [...languages].map((language) => ({
    name: `${name} ${language}`,
    async *passages() {
      for await (const batch of readPassages(dir)) yield batch.filter(({ lang }) => lang === language);
    },
    queries: queries.filter(({ lang }) => lang === language),
    folder,
  }));
}

/**
 * Measures ranking on several collections, each in an index of its own and all in one, as a lake of several sources and
 * languages holds them. A passage counts as relevant by the judgments of its own collection only.
 */
export async function evaluateMixed(
  collections: readonly Collection[],
  options: EvaluateMixedOptions,
): Promise<MixedReport> {
  const { signal, onProgress } = options;
  return withWorkFolder(options.workDir, async (work) => {
    let done = 0;
    const measure = async (indexed: IndexedPassages, queries: readonly JudgedQuery[]) => {
      const answered = await answerQueries(indexed, queries, signal, () => {
        done += 1;
        onProgress?.({ phase: "queries", done });
      });
      return reportModes(answered);
    };
    const measured: Omit<MixedCollectionReport, "together">[] = [];
    for (const [number, { name, passages, queries }] of collections.entries()) {
      const indexed = await indexPassages(join(work, `alone-${number}`), passages, options);
      try {
        const alone = await measure(indexed, queries);
        measured.push({ name, passages: indexed.ids.length, queries: queries.length, alone });
      } finally {
        await indexed.index.close();
      }
    }
    const own = measured.reduce((sum, { passages }) => sum + passages, 0);
    const mixed = await indexPassages(join(work, "mixed"), () => allPassages(collections, options), options);
    try {
      const together: ModeReport[][] = [];
      for (const [number, { queries }] of collections.entries())
        together.push(await measure(mixed, queries.map(inMixed(number))));
      const answered = await answeredOf(mixed.index, options.unanswerable ?? [], signal);
      return {
        passages: mixed.ids.length,
        distractors: mixed.ids.length - own,
        ...sumCounts([...new Set(collections.flatMap(({ folder = [] }) => folder))]),
        embedder: mixed.embedder,
        collections: measured.map((collection, i) => ({ ...collection, together: together[i]! })),
        answered,
      };
    } finally {
      await mixed.index.close();
    }
  });
}

/** All passages; ids carry the collection's number, because two collections may use the same. */
async function* allPassages(
  collections: readonly Collection[],
  { distractors }: EvaluateMixedOptions,
): AsyncGenerator<Passage[]> {
  for (const [number, { passages }] of collections.entries())
    for await (const batch of passages())
      yield batch.map((passage) => ({ ...passage, _id: mixedId(number, passage._id) }));
  if (distractors === undefined) return;
  for await (const batch of distractors())
    yield batch.map((passage) => ({ ...passage, _id: mixedId("", passage._id) }));
}

function inMixed(collection: number): (query: JudgedQuery) => JudgedQuery {
  return (query) => ({
    ...query,
    grades: new Map([...query.grades].map(([id, grade]) => [mixedId(collection, id), grade])),
  });
}

function mixedId(collection: number | "", id: string): string {
  return `${collection}/${id}`;
}

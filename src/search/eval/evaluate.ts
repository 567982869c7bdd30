import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildProgress, buildIndex } from "../build-index.js";
import type { CandidateRows, IndexDocument } from "../document.js";
import type { Embedder } from "../embed/embedder.js";
import { openIndex, type RankMode, type SearchIndex } from "../search-index.js";
import { meanQuality, type Quality, qualityOf } from "./metrics.js";
import { randomisationTest } from "./randomisation-test.js";
import { type JudgedQuery, type Passage, readJudgedQueries, readPassages } from "./read-beir.js";

const MODES = ["keyword", "semantic", "hybrid"] as const satisfies readonly RankMode[];
const LIMIT = 100;

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  readonly embedder?: Embedder;
  /** Language of a passage or query that names none (BCP-47). */
  readonly detectLanguage: (text: string) => string;
  /** Folder for the index; default: a temporary one, removed afterwards. */
  readonly workDir?: string;
  readonly threads?: number;
  readonly onProgress?: (
    progress: BuildProgress | { readonly phase: "queries"; readonly documents: number },
  ) => void;
  readonly signal?: AbortSignal;
}

/** Quality of one ranking mode. */
export interface ModeReport extends Quality {
  readonly mode: RankMode;
  /**
   * p-value for the difference of its nDCG@10 from keyword ranking (paired randomisation test); absent for
   * keyword.
   */
  readonly pValue?: number;
}

/** Ranking quality on a collection. */
export interface EvaluationReport {
  readonly passages: number;
  readonly queries: number;
  readonly embedder: string;
  readonly modes: readonly ModeReport[];
  /** By query language, if the collection has several. */
  readonly languages: readonly {
    readonly lang: string;
    readonly queries: number;
    readonly modes: readonly ModeReport[];
  }[];
}

/**
 * Indexes a collection in BEIR's format as a lake would, and measures keyword, semantic and hybrid ranking by
 * its judgments.
 * @throws SearchError `beir_unreadable` for a folder that is not such a collection.
 */
export async function evaluate(dir: string, options: EvaluateOptions): Promise<EvaluationReport> {
  const queries = await readJudgedQueries(dir);
  const work = options.workDir ?? (await mkdtemp(join(tmpdir(), "mirrorlake-eval-")));
  try {
    const ids: string[] = [];
    const { vectorSets } = await buildIndex(
      join(work, "index"),
      async function* () {
        ids.length = 0;
        for await (const passages of readPassages(dir)) {
          ids.push(...passages.map(({ _id }) => _id));
          yield passages.map((passage) => documentOf(passage, options.detectLanguage));
        }
      },
      {
        embedder: options.embedder === undefined ? undefined : options.embedder,
        localSet: false,
        threads: options.threads,
        signal: options.signal,
        onProgress: options.onProgress,
      },
    );
    const index = await openIndex(join(work, "index"), { embedder: options.embedder });
    try {
      const answered = await answerAll(index, ids, queries, options);
      return {
        passages: ids.length,
        queries: queries.length,
        embedder: vectorSets[0]!.embedder,
        ...summarize(queries, answered, options),
      };
    } finally {
      await index.close();
    }
  } finally {
    if (options.workDir === undefined) await rm(work, { recursive: true, force: true });
  }
}

type Answered = Readonly<Record<(typeof MODES)[number], Quality>>;

async function answerAll(
  index: SearchIndex,
  ids: readonly string[],
  queries: readonly JudgedQuery[],
  { signal, onProgress }: EvaluateOptions,
): Promise<Answered[]> {
  const everything = allRows(index.documentCount);
  const answered: Answered[] = [];
  for (const query of queries) {
    signal?.throwIfAborted();
    const quality = async (mode: RankMode) => {
      const { rows } = await index.rank(query.text, everything, { limit: LIMIT, mode });
      return qualityOf(
        rows.map((row) => ids[row]!),
        query.grades,
      );
    };
    answered.push({
      keyword: await quality("keyword"),
      semantic: await quality("semantic"),
      hybrid: await quality("hybrid"),
    });
    onProgress?.({ phase: "queries", documents: answered.length });
  }
  return answered;
}

function summarize(
  queries: readonly JudgedQuery[],
  answered: readonly Answered[],
  { detectLanguage }: EvaluateOptions,
): Pick<EvaluationReport, "modes" | "languages"> {
  const byLanguage = new Map<string, Answered[]>();
  queries.forEach(({ lang, text }, i) => {
    const language = lang ?? detectLanguage(text);
    byLanguage.set(language, [...(byLanguage.get(language) ?? []), answered[i]!]);
  });
  const named = queries.some(({ lang }) => lang !== undefined) && byLanguage.size > 1;
  return {
    modes: reportModes(answered),
    languages: !named
      ? []
      : [...byLanguage]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([lang, some]) => ({ lang, queries: some.length, modes: reportModes(some) })),
  };
}

function reportModes(answered: readonly Answered[]): ModeReport[] {
  const ndcg = (mode: (typeof MODES)[number]) => answered.map((quality) => quality[mode].ndcg10);
  return MODES.map((mode) => ({
    mode,
    ...meanQuality(answered.map((quality) => quality[mode])),
    ...(mode === "keyword" ? {} : { pValue: randomisationTest(ndcg(mode), ndcg("keyword")) }),
  }));
}

function documentOf({ _id, title, text, lang }: Passage, detect: (text: string) => string): IndexDocument {
  return {
    id: _id,
    lang: lang ?? detect(`${title ?? ""}\n${text ?? ""}`),
    ...(title ? { title } : {}),
    ...(text ? { text } : {}),
  };
}

function allRows(size: number): CandidateRows {
  const rows = Uint32Array.from({ length: size }, (_, row) => row);
  const bits = new Uint32Array(Math.ceil(size / 32)).fill(0xffff_ffff);
  return { size, count: size, has: (row) => row < size, rows: () => rows, bits };
}

import { join } from "node:path";
import { inSystemFolder } from "../../files/system-folder.js";
import type { BuildProgress } from "../build-index.js";
import { type Answered, answerQueries, type ModeReport, reportModes } from "./answer-queries.js";
import { type IndexPassagesOptions, indexPassages } from "./index-passages.js";
import { countJudgments, type JudgmentCounts } from "./judgment-counts.js";
import { type JudgedQuery, readJudged, readPassages } from "./read-beir.js";

/** Options of {@link evaluate}. */
export interface EvaluateOptions extends Omit<IndexPassagesOptions, "onProgress"> {
  /** Folder for the index; default: a temporary one, removed afterwards. */
  readonly workDir?: string;
  readonly onProgress?: (
    progress: BuildProgress | { readonly phase: "queries"; readonly done: number },
  ) => void;
}

/** Ranking quality on a collection. */
export interface EvaluationReport extends JudgmentCounts {
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
 * @throws SearchError `beir_unreadable` for a folder that is not such a collection; `beir_repeated_id`, `beir_unjudged`
 */
export async function evaluate(dir: string, options: EvaluateOptions): Promise<EvaluationReport> {
  const judged = await readJudged(dir);
  const { queries } = judged;
  return withWorkFolder(options.workDir, async (work) => {
    const indexed = await indexPassages(join(work, "index"), () => readPassages(dir), options);
    try {
      const answered = await answerQueries(indexed, queries, options.signal, (done) =>
        options.onProgress?.({ phase: "queries", done }),
      );
      return {
        passages: indexed.ids.length,
        queries: queries.length,
        ...countJudgments(judged, new Set(indexed.ids)),
        embedder: indexed.embedder,
        ...summarize(queries, answered, options),
      };
    } finally {
      await indexed.index.close();
    }
  });
}

/** Runs `use` with a folder: the given one, or a temporary one that is removed afterwards. */
export async function withWorkFolder<T>(
  given: string | undefined,
  use: (dir: string) => Promise<T>,
): Promise<T> {
  return given === undefined ? inSystemFolder("eval", use) : use(given);
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

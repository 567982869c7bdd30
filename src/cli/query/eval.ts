import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../../contract/quantity.js";
import type { ModeReport } from "../../search/eval/answer-queries.js";
import type { EvaluationReport } from "../../search/eval/evaluate.js";
import type { MixedReport } from "../../search/eval/evaluate-mixed.js";
import type { JudgmentCounts } from "../../search/eval/judgment-counts.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { createProgress } from "../format/progress.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "../lake/embedder-option.js";
import { examples, jsonOption } from "../options.js";

interface EvalOptions extends EmbedderOptions {
  readonly json?: boolean;
  readonly distractors?: string;
}

/** Registers `eval`: measures ranking quality on a user's judged collections. */
export function registerEval(program: Command, context: CliContext): void {
  const command = program
    .command("eval")
    .description(
      "Measure search on judged collections, each alone or all in one mixed lake: nDCG@10, Recall@100, MRR@10 by kind of ranking.",
    )
    .argument("<dirs...>", "folders in BEIR's format: corpus.jsonl, queries.jsonl, qrels/test.tsv")
    .option("--distractors <dir>", "folder whose corpus.jsonl is in the mixed lake too and answers no query");
  embedderOption(jsonOption(command));
  examples(command, [
    "eval ./my-collection",
    "eval ./my-collection --json",
    "eval ./my-collection ./another-collection --distractors ./comments",
    'eval ./my-collection --embedder "openai:nomic-embed-text?url=http://127.0.0.1:8080/v1&dimensions=768"',
    "eval ./my-collection --embedder transformers:./models/multilingual-e5-small",
  ]);
  command.action(async (dirs: readonly string[], options: EvalOptions) => {
    const [{ evaluate }, { evaluateMixed, readCollections }, { readPassages }, { detectLanguage }] =
      await Promise.all([
        import("../../search/eval/evaluate.js"),
        import("../../search/eval/evaluate-mixed.js"),
        import("../../search/eval/read-beir.js"),
        import("../../ingest/values/language/detect-language.js"),
      ]);
    const embedder = await embedderOf(options, context);
    const progress = createProgress(context);
    const { signal } = context;
    const measuring = {
      detectLanguage,
      embedder,
      signal,
      onProgress: ({
        phase,
        done,
        total,
      }: {
        readonly phase: string;
        readonly done: number;
        readonly total?: number;
      }) => progress.update(phase, done, total),
    };
    const folders = dirs.map((dir) => resolve(context.cwd, dir));
    const others = options.distractors === undefined ? undefined : resolve(context.cwd, options.distractors);
    try {
      if (folders.length === 1 && others === undefined) {
        const report = await evaluate(folders[0]!, measuring);
        progress.end();
        if (options.json) printJson(context, report);
        else context.out.write(formatReport(report, context.out.columns));
        return;
      }
      const collections = await Promise.all(folders.map((dir) => readCollections(dir, basename(dir))));
      const report = await evaluateMixed(collections.flat(), {
        ...measuring,
        distractors: others === undefined ? undefined : () => readPassages(others),
      });
      progress.end();
      if (options.json) printJson(context, report);
      else context.out.write(formatMixed(report, context.out.columns));
    } finally {
      progress.end();
    }
  });
}

const FIGURES = [
  { header: "nDCG@10", align: "right" as const },
  { header: "Recall@100", align: "right" as const },
  { header: "MRR@10", align: "right" as const },
  { header: "p vs keyword", align: "right" as const },
  { header: "queries", align: "right" as const },
];
const P_VALUE = "p: paired randomisation test of nDCG@10.\n";

function formatReport(report: EvaluationReport, width: number): string {
  const several = report.languages.length > 0;
  const rows = [
    ...report.modes.map((mode) => ["all", mode.mode, ...figures(report.queries, mode)]),
    ...report.languages.flatMap(({ lang, queries, modes }) =>
      modes.map((mode) => [lang, mode.mode, ...figures(queries, mode)]),
    ),
  ].map((cells) => (several ? cells : cells.slice(1)));
  const columns = [...(several ? [{ header: "lang" }] : []), { header: "ranking", grow: true }, ...FIGURES];
  const { passages, queries, embedder } = report;
  return `${formatTable(columns, rows, width)}\n${counted(passages, "passage")}, ${counted(queries, "query", "queries")}; embedder ${embedder}.\n${judgmentNote(report)}${P_VALUE}`;
}

function formatMixed({ collections, ...report }: MixedReport, width: number): string {
  const rows = collections.flatMap(({ name, queries, alone, together }) => [
    ...alone.map((mode) => [name, "alone", mode.mode, ...figures(queries, mode)]),
    ...together.map((mode) => [name, "together", mode.mode, ...figures(queries, mode)]),
  ]);
  const columns = [
    { header: "collection", grow: true },
    { header: "lake" },
    { header: "ranking" },
    ...FIGURES,
  ];
  const { passages, distractors, embedder } = report;
  return `${formatTable(columns, rows, width)}\n${counted(collections.length, "collection")} in one lake of ${counted(passages, "passage")}, ${distractors} of them distractors; embedder ${embedder}.\n${judgmentNote(report)}${P_VALUE}`;
}

/** A line of what judgments name and the collections do not have, and of queries that are left out; nothing where there are none. */
function judgmentNote({ judgments, unjudgedQueries }: JudgmentCounts): string {
  const { total, ofUnknownPassages, ofUnknownQueries } = judgments;
  const unknown = [
    ofUnknownPassages > 0 ? [`${ofUnknownPassages} are of passages that corpus.jsonl does not have`] : [],
    ofUnknownQueries > 0 ? [`${ofUnknownQueries} of queries that queries.jsonl does not have`] : [],
  ].flat();
  const notes = [
    unknown.length > 0 ? [`Of ${counted(total, "judgment")} ${unknown.join(", ")}.`] : [],
    unjudgedQueries > 0
      ? [
          `${counted(unjudgedQueries, "query", "queries")} without a relevant passage ${unjudgedQueries === 1 ? "is" : "are"} left out.`,
        ]
      : [],
  ].flat();
  return notes.length === 0 ? "" : `${notes.join(" ")}\n`;
}

function figures(queries: number, mode: ModeReport): string[] {
  return [
    mode.ndcg10.toFixed(4),
    mode.recall100.toFixed(4),
    mode.mrr10.toFixed(4),
    mode.pValue === undefined ? "" : mode.pValue.toFixed(4),
    String(queries),
  ];
}

import { resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../../contract/quantity.js";
import type { EvaluationReport, ModeReport } from "../../search/eval/evaluate.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { createProgress } from "../format/progress.js";
import { type EmbedderOptions, embedderOf, embedderOption } from "../lake/embedder-option.js";
import { examples, jsonOption } from "../options.js";

/** Registers `eval`: measures ranking quality on a user's judged collection. */
export function registerEval(program: Command, context: CliContext): void {
  const command = program
    .command("eval")
    .description("Measure search on a judged collection: nDCG@10, Recall@100, MRR@10 by kind of ranking.")
    .argument("<dir>", "folder in BEIR's format: corpus.jsonl, queries.jsonl, qrels/test.tsv");
  embedderOption(jsonOption(command));
  examples(command, [
    "eval ./my-collection",
    "eval ./my-collection --json",
    'eval ./my-collection --embedder "openai:nomic-embed-text?url=http://127.0.0.1:8080/v1&dimensions=768"',
    "eval ./my-collection --embedder transformers:./models/multilingual-e5-small",
  ]);
  command.action(async (dir: string, options: EmbedderOptions & { readonly json?: boolean }) => {
    const [{ evaluate }, { detectLanguage }] = await Promise.all([
      import("../../search/eval/evaluate.js"),
      import("../../ingest/mapping/language/detect-language.js"),
    ]);
    const embedder = await embedderOf(options, context);
    const progress = createProgress(context);
    try {
      const report = await evaluate(resolve(context.cwd, dir), {
        detectLanguage,
        embedder,
        signal: context.signal,
        onProgress: ({ phase, documents }) => progress.update(phase, documents),
      });
      progress.end();
      if (options.json) printJson(context, report);
      else context.out.write(formatReport(report, context.out.columns));
    } finally {
      progress.end();
    }
  });
}

function formatReport(report: EvaluationReport, width: number): string {
  const several = report.languages.length > 0;
  const rows = [
    ...report.modes.map((mode) => row("all", report.queries, mode)),
    ...report.languages.flatMap(({ lang, queries, modes }) => modes.map((mode) => row(lang, queries, mode))),
  ].map((cells) => (several ? cells : cells.slice(1)));
  const columns = [
    ...(several ? [{ header: "lang" }] : []),
    { header: "ranking", grow: true },
    { header: "nDCG@10", align: "right" as const },
    { header: "Recall@100", align: "right" as const },
    { header: "MRR@10", align: "right" as const },
    { header: "p vs keyword", align: "right" as const },
    { header: "queries", align: "right" as const },
  ];
  const { passages, queries, embedder } = report;
  return `${formatTable(columns, rows, width)}\n${counted(passages, "passage")}, ${counted(queries, "query", "queries")}; embedder ${embedder}.\np: paired randomisation test of nDCG@10.\n`;
}

function row(lang: string, queries: number, mode: ModeReport): string[] {
  return [
    lang,
    mode.mode,
    mode.ndcg10.toFixed(4),
    mode.recall100.toFixed(4),
    mode.mrr10.toFixed(4),
    mode.pValue === undefined ? "" : mode.pValue.toFixed(4),
    String(queries),
  ];
}

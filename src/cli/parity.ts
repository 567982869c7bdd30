import { appendFile, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { DriftReport } from "../compare/drift.js";
import type { RuleResult } from "../conformance/score.js";
import { UsageError } from "../contract/errors.js";
import { counted } from "../contract/quantity.js";
import { serviceBaseUrl } from "../contract/service/endpoint.js";
import { makeSystemFolder } from "../files/system-folder.js";
import { type CliContext, printJson } from "./context.js";
import { formatTable } from "./format/format-table.js";
import { style } from "./format/terminal-style.js";
import { examples, jsonOption } from "./options.js";

interface ParityOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly against?: string;
  readonly key?: string;
  readonly samples?: string;
  readonly cassette?: string;
  readonly junit?: string;
  readonly summary?: string;
}

/** Registers `parity`: checks the rules of service.md through each transport. */
export function registerParity(program: Command, context: CliContext): void {
  const command = program
    .command("parity")
    .description(
      "Check every rule of the service specification through every transport, and print the score.",
    );
  jsonOption(command)
    .option("--markdown", "print the score as a Markdown table")
    .option("--against <url>", "check a remote service instead, to watch for drift; its calls are charged")
    .option("--key <key>", "API key of the remote service (default: $MIRRORLAKE_REMOTE_KEY)")
    .option(
      "--samples <file>",
      "JSON that names items the remote holds (default: $MIRRORLAKE_REMOTE_SAMPLES)",
    )
    .option("--cassette <file>", "recording whose requests are asked again and compared")
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--summary <file>", "append a Markdown summary (default: $GITHUB_STEP_SUMMARY)");
  command.addHelpText(
    "after",
    `
The rules run over a temporary lake of sample data. Set MIRRORLAKE_REMOTE_URL, MIRRORLAKE_REMOTE_KEY and
MIRRORLAKE_REMOTE_SAMPLES (a JSON file that names items the remote holds) to run them on a remote service too.`,
  );
  examples(command, [
    "parity",
    "parity --json",
    "parity --against https://api.example.com --samples samples.json --cassette calls.jsonl --junit parity.xml",
  ]);
  command.action(async (options: ParityOptions) => {
    const { against } = options;
    await checkFirst(options, context);
    let drift: DriftReport | undefined;
    let results: readonly RuleResult[];
    try {
      drift = await driftOf(options, context); // first: a wrong key is one error here, and one of each rule there
      results = await (against === undefined ? runParity(context) : runRemote(against, options, context));
    } catch (error) {
      // A job that reads the reports would take a missing one for a run that did not take place.
      if (!context.signal.aborted) await writeReports([], drift, options, context, error as Error);
      throw error;
    }
    const drifted = (drift?.differences.length ?? 0) > 0;
    if (drifted || results.some(({ result }) => result === "failed")) context.fail();
    await writeReports(results, drift, options, context);
    await print(results, options, context);
    if (drift !== undefined && options.json !== true) await printDrift(drift, context);
  });
}

/** Runs the rules on the remote service that the options name. @throws UsageError as `remoteSubject` */
async function runRemote(
  against: string,
  { key, samples }: ParityOptions,
  context: CliContext,
): Promise<readonly RuleResult[]> {
  const { env } = context;
  const { remoteSubject } = await import("../conformance/remote-subject.js");
  const { RULES } = await import("../conformance/rules.js");
  const { runRules } = await import("../conformance/score.js");
  const subject = await remoteSubject({
    MIRRORLAKE_REMOTE_URL: against,
    MIRRORLAKE_REMOTE_KEY: key ?? env.MIRRORLAKE_REMOTE_KEY,
    MIRRORLAKE_REMOTE_SAMPLES:
      samples === undefined ? env.MIRRORLAKE_REMOTE_SAMPLES : resolve(context.cwd, samples),
  });
  context.err.write(`${counted(RULES.length, "rule")} on ${against} …\n`);
  return runRules(RULES, subject!, context.signal);
}

/**
 * Checks what is needed after the rules, whose calls are charged.
 * @throws UsageError `remote_incomplete`, `unwritable_file`; CassetteError `cassette_unreadable`
 */
async function checkFirst(options: ParityOptions, context: CliContext): Promise<void> {
  const { cassette, junit } = options;
  const { checkOutput } = await import("../files/replace-output.js");
  if (junit !== undefined) await checkOutput(resolve(context.cwd, junit));
  const summary = summaryOf(options, context);
  // It is appended to, so it may be a device or a pipe.
  const found = summary === undefined ? undefined : await stat(summary).catch(() => undefined);
  if (summary !== undefined && (found === undefined || found.isDirectory())) await checkOutput(summary);
  if (cassette === undefined) return;
  comparedService(cassette, options, context);
  const { readCassette } = await import("../cassette/read-cassette.js");
  await readCassette(resolve(context.cwd, cassette));
}

/** File that the summary is appended to, if any. */
function summaryOf({ summary }: ParityOptions, { cwd, env }: CliContext): string | undefined {
  return summary === undefined ? env.GITHUB_STEP_SUMMARY || undefined : resolve(cwd, summary);
}

/** The service that a cassette is compared with, and its key. @throws UsageError `remote_incomplete` */
function comparedService(cassette: string, { against, key }: ParityOptions, { env }: CliContext) {
  const apiKey = key ?? env.MIRRORLAKE_REMOTE_KEY;
  if (against !== undefined && apiKey !== undefined) return { against, apiKey };
  throw new UsageError("remote_incomplete", "A cassette is compared with a remote service", {
    value: cassette,
    remedy: "Name the service and its key: --against URL --key KEY.",
  });
}

/** Asks a recording's requests again; undefined without a cassette. */
async function driftOf(options: ParityOptions, context: CliContext): Promise<DriftReport | undefined> {
  const { cassette } = options;
  if (cassette === undefined) return undefined;
  const { against, apiKey } = comparedService(cassette, options, context);
  const { driftReport } = await import("../compare/drift.js");
  const { CATALOGUE } = await import("../contract/service/catalogue.js");
  context.err.write(`Asking ${against} what ${cassette} holds …\n`);
  return driftReport(
    {
      cassette: resolve(context.cwd, cassette),
      fetch: globalThis.fetch,
      baseUrl: serviceBaseUrl(against) ?? against,
      apiKey,
      signal: context.signal,
    },
    CATALOGUE,
  );
}

async function writeReports(
  results: readonly RuleResult[],
  drift: DriftReport | undefined,
  options: ParityOptions,
  context: CliContext,
  stopped?: Error,
): Promise<void> {
  const { junitXml, markdownSummary } = await import("../conformance/reports.js");
  const { replaceOutput } = await import("../files/replace-output.js");
  const { junit } = options;
  const differences = drift?.differences ?? [];
  if (junit !== undefined)
    await replaceOutput(resolve(context.cwd, junit), (path) =>
      writeFile(path, junitXml(results, differences, stopped)),
    );
  const summary = summaryOf(options, context);
  if (summary !== undefined) await appendFile(summary, markdownSummary(results, differences, stopped));
}

async function printDrift(
  { requests, differences, observations }: DriftReport,
  { out }: CliContext,
): Promise<void> {
  out.write(
    `\n${counted(requests, "recorded request")} asked again, ${counted(differences.length, "difference")}\n`,
  );
  for (const { endpoint, kind, path, calls, local, remote } of differences)
    out.write(
      `  ${endpoint} ${kind} ${path} (${counted(calls, "call")}): ${local} was recorded, ${remote} now\n`,
    );
  for (const { subject, endpoint, assumed, observed, agrees } of observations) {
    if (!agrees)
      out.write(
        `  observed: ${subject} of ${endpoint || "the service"} is ${observed}, assumed was ${assumed}\n`,
      );
  }
}

async function runParity(context: CliContext): Promise<readonly RuleResult[]> {
  const { signal } = context;
  const [
    { startServer },
    { Lake },
    { fourTransports },
    { openLocalSubject },
    { remoteSubject },
    { RULES },
    score,
    sample,
  ] = await Promise.all([
    import("../http/server.js"),
    import("../lake/lake.js"),
    import("../conformance/transports.js"),
    import("../conformance/local-subject.js"),
    import("../conformance/remote-subject.js"),
    import("../conformance/rules.js"),
    import("../conformance/score.js"),
    import("../conformance/sample/sample-lake.js"),
  ]);
  const remote = await remoteSubject(context.env);
  const temporary = await makeSystemFolder("parity");
  const results: RuleResult[] = [];
  try {
    const lake = await Lake.open(await sample.buildSampleLake(temporary.path, undefined, signal));
    try {
      for (const transport of fourTransports((service) => startServer(service))) {
        context.err.write(`${counted(RULES.length, "rule")} through ${transport.name} …\n`);
        const subject = await openLocalSubject(transport, { lake });
        results.push(...(await score.runRules(RULES, subject, signal).finally(() => subject.close())));
      }
    } finally {
      await lake.close();
    }
  } finally {
    await temporary.remove();
  }
  if (remote === undefined) return results;
  context.err.write(`${counted(RULES.length, "rule")} on ${context.env.MIRRORLAKE_REMOTE_URL} …\n`);
  return [...results, ...(await score.runRules(RULES, remote, signal))];
}

async function print(
  results: readonly RuleResult[],
  options: ParityOptions,
  context: CliContext,
): Promise<void> {
  const { scoreOf, scoreTable, sumsOf } = await import("../conformance/score.js");
  const score = scoreOf(results);
  if (options.markdown) {
    context.out.write(scoreTable(score));
    return;
  }
  if (options.json) {
    const rules = results.map(({ rule, error: _, ...rest }) => {
      const { id, section, label, says } = rule;
      return { id, section, label, says, ...rest };
    });
    printJson(context, { score, sums: sumsOf(score), rules });
    return;
  }
  const { out } = context;
  const number = { align: "right" } as const;
  const columns = [
    { header: "section" },
    { header: "label", grow: true },
    { header: "passed", ...number },
    { header: "failed", ...number },
    { header: "not testable", ...number },
  ];
  const rows = [...score, ...sumsOf(score)].map(({ section, label, passed, failed, notTestable }) => [
    section,
    label,
    String(passed),
    String(failed),
    String(notTestable),
  ]);
  out.write(formatTable(columns, rows, out.columns));
  for (const { rule, transport, result, detail } of results) {
    if (result !== "failed") continue;
    out.write(
      `\n${style(out, "red", "failed")} ${rule.id} through ${transport}: ${rule.says}\n  ${detail}\n`,
    );
  }
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { RuleResult } from "../conformance/score.js";
import { counted } from "../contract/quantity.js";
import { type CliContext, printJson } from "./context.js";
import { formatTable } from "./format/format-table.js";
import { style } from "./format/terminal-style.js";
import { examples, jsonOption } from "./options.js";

interface ParityOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Registers `parity`: checks the rules of service.md through each transport. */
export function registerParity(program: Command, context: CliContext): void {
  const command = program
    .command("parity")
    .description(
      "Check every rule of the service specification through every transport, and print the score.",
    );
  jsonOption(command).option("--markdown", "print the score as a Markdown table");
  command.addHelpText(
    "after",
    `
The rules run over a temporary lake of sample data. Set MIRRORLAKE_REMOTE_URL, MIRRORLAKE_REMOTE_KEY and
MIRRORLAKE_REMOTE_SAMPLES (a JSON file that names items the remote holds) to run them on a remote service too.`,
  );
  examples(command, ["parity", "parity --json"]);
  command.action(async (options: ParityOptions) => {
    const results = await runParity(context);
    if (results.some(({ result }) => result === "failed")) context.fail();
    await print(results, options, context);
  });
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
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-parity-"));
  const results: RuleResult[] = [];
  try {
    const lake = await Lake.open(await sample.buildSampleLake(dir));
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
    await rm(dir, { recursive: true, force: true });
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

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import type { RuleResult } from "../testing/conformance/score.js";
import { type CliContext, printJson } from "./context.js";
import { formatTable } from "./format-table.js";
import { examples, jsonOption } from "./options.js";
import { style } from "./style.js";

/** Registers `parity`: how far the doors keep what service.md says. */
export function registerParity(program: Command, context: CliContext): void {
  const command = program
    .command("parity")
    .description("Check every rule of the service's description through every door, and print the score.");
  jsonOption(command);
  command.addHelpText(
    "after",
    `
The rules run over a lake of sample data, made for the occasion. Set MIRRORLAKE_REMOTE_URL, MIRRORLAKE_REMOTE_KEY and
MIRRORLAKE_REMOTE_SAMPLES (a JSON file that names things the remote holds) to run them on a remote service too.`,
  );
  examples(command, ["parity", "parity --json"]);
  command.action(async (options: { readonly json?: boolean }) => {
    const results = await runParity(context);
    if (results.some(({ result }) => result === "failed")) context.fail();
    await print(results, options.json === true, context);
  });
}

async function runParity(context: CliContext): Promise<readonly RuleResult[]> {
  const [
    { startServer },
    { Lake },
    { fourDoors },
    { openLocalSubject },
    { remoteSubject },
    { RULES },
    { runRule },
  ] = await Promise.all([
    import("../http/server.js"),
    import("../lake/lake.js"),
    import("../testing/conformance/doors.js"),
    import("../testing/conformance/local-subject.js"),
    import("../testing/conformance/remote-subject.js"),
    import("../testing/conformance/rules.js"),
    import("../testing/conformance/score.js"),
  ]);
  const { buildSampleLake } = await import("../testing/sample/sample-lake.js");
  const remote = await remoteSubject(context.env);
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-parity-"));
  try {
    const lake = await Lake.open(await buildSampleLake(dir));
    const results: RuleResult[] = [];
    try {
      for (const door of fourDoors((service) => startServer(service))) {
        context.err.write(`${door.name} …\n`);
        const subject = await openLocalSubject(door, { lake });
        for (const rule of RULES) {
          context.signal.throwIfAborted();
          results.push(await runRule(rule, subject));
        }
        await subject.close();
      }
      if (remote !== undefined) {
        context.err.write("remote …\n");
        for (const rule of RULES) {
          context.signal.throwIfAborted();
          results.push(await runRule(rule, remote));
        }
      }
    } finally {
      await lake.close();
    }
    return results;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function print(results: readonly RuleResult[], json: boolean, context: CliContext): Promise<void> {
  const { scoreOf, sumsOf } = await import("../testing/conformance/score.js");
  const score = scoreOf(results);
  if (json) {
    const rules = results.map(({ rule, ...rest }) => {
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
  for (const { rule, door, result, detail } of results) {
    if (result !== "failed") continue;
    out.write(`\n${style(out, "red", "failed")} ${rule.id} through ${door}: ${rule.says}\n  ${detail}\n`);
  }
}

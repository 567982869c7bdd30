import { resolve } from "node:path";
import type { Command } from "commander";
import { formatCount } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import { escapedJson } from "../../contract/whole-json.js";
import type { Difference } from "../../transfer/diff-slices.js";
import { type CliContext, OutputClosed } from "../context.js";
import { changedValues } from "../format/changed-values.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { examples, jsonOption, lakeOption, lakePath, list } from "../options.js";

const SIGNS = {
  added: ["+", "green"],
  removed: ["-", "red"],
  changed: ["~", "yellow"],
} as const;

interface DiffCommandOptions {
  readonly lake?: string;
  readonly ignore?: readonly string[];
  readonly summary?: boolean;
  readonly json?: boolean;
}

/** Registers `diff`: the differences between two slices, folders of slices or lakes. */
export function registerDiff(program: Command, context: CliContext): void {
  const command = program
    .command("diff")
    .description("Compare two slices, folders of slices, or lakes: records and raw items, field by field.")
    .argument("<before>", "a folder, a lake, or the root hash of a slice of --lake")
    .argument("<after>", "likewise")
    .option(
      "--ignore <fields>",
      "fields that do not count, each with all below it, such as prov,metrics; items that differ in nothing else are not listed",
      list,
    )
    .option("--summary", "only count the differences");
  lakeOption(command);
  jsonOption(command);
  examples(command, [
    "diff ./slices-june ./slices-july",
    "diff ./june ./july --ignore prov,metrics",
    "diff ./lake-a ./lake-b --summary --json",
    "diff 5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592 ./revised --lake ./lake",
  ]);
  command.action(async (before: string, after: string, options: DiffCommandOptions) => {
    const { diffSlices } = await import("../../transfer/diff-slices.js");
    const { lakePaths } = await import("../../lake/lake-paths.js");
    const side = (name: string) =>
      /^[0-9a-f]{64}$/.test(name)
        ? lakePaths(lakePath(options, context)).slice(name)
        : resolve(context.cwd, name);
    const { out } = context;
    const none = () => ({ added: 0, removed: 0, changed: 0 });
    const counts = { record: none(), raw: none() };
    const progress = createProgress(context);
    let found = 0;
    const show = () => {
      if (options.summary || !out.isTty || found === 0) progress.update("comparing", found, 0, "differences");
      else progress.end();
    };
    // Print nothing before both sides are readable: an error must be the only JSON value of the output.
    let separator = '{"differences":[';
    try {
      show();
      for await (const batch of diffSlices(side(before), side(after), {
        ignore: options.ignore,
        signal: context.signal,
      })) {
        await out.drained(context.signal);
        found += batch.length;
        show();
        for (const difference of batch) {
          counts[difference.kind][difference.change]++;
          if (options.summary) continue;
          if (options.json) out.data(`${separator}${escapedJson(difference)}`);
          else out.write(lines(difference, context));
          separator = ",";
        }
      }
    } catch (error) {
      progress.end();
      if (!options.json || separator !== "," || error instanceof OutputClosed) throw error;
      const { endWithError } = await import("../format/late-error.js");
      return context.fail(endWithError(error, "]", context));
    } finally {
      progress.end();
    }
    if (options.json)
      out.write(
        `${separator === "," ? "" : separator}],"records":${JSON.stringify(counts.record)},"raw":${JSON.stringify(counts.raw)}}\n`,
      );
    else {
      for (const [kind, { added, removed, changed }] of Object.entries(counts))
        out.write(
          `${kind === "raw" ? "raw items" : "records"}: ${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed\n`,
        );
    }
  });
}

function lines({ kind, key, change, fields = [] }: Difference, { out }: CliContext): string {
  const [sign, colour] = SIGNS[change];
  const head = style(out, colour, terminalLine(`${sign} ${kind} ${key}`));
  return `${head}\n${fields.map(({ path, before, after }) => `    ${terminalLine(`${path}: ${changedValues(before, after)}`)}\n`).join("")}`;
}

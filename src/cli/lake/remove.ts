import { resolve } from "node:path";
import type { Command } from "commander";
import type { RemovalTarget } from "../../contract/lake/removal.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { RemoveProgress, RemoveReport } from "../../lake/removals/remove-records.js";
import { type CliContext, printJson } from "../context.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { clickHouseLake, examples, jsonOption, lakeOption, lakePath } from "../options.js";
import { failAsInterrupted } from "./settled-install.js";

const PHASES: Readonly<Record<RemoveProgress["phase"], string>> = {
  find: "removing: what goes with the targets",
  hide: "removing: what to hide",
  hold: "removed; answers on their way arrive",
  hash: "removed; hashing what is left for the report",
};

interface RemoveCommandOptions {
  readonly lake?: string;
  readonly id?: readonly string[];
  readonly reason: string;
  readonly json?: boolean;
}

/** Registers `remove`: immediate, permanent takedowns. */
export function registerRemove(program: Command, context: CliContext): void {
  const command = program
    .command("remove")
    .description(
      "Remove records, raw items or authors from every answer of a lake, immediately and permanently.",
    )
    .argument("[list...]", "takedown lists: one target per line, # comments allowed")
    .option(
      "--id <target>",
      "a target, written as in a list; can be repeated",
      (target, before: string[] = []) => [...before, target],
    )
    .requiredOption("--reason <text>", "why; stored with each removal");
  lakeOption(command);
  jsonOption(command);
  command.addHelpText(
    "after",
    `
Targets:
  soc_shv_7400000000000000123                   a record, the raw item of the same thing, and its parts
  raw:short-video/comment/7400000000000000999   a raw item; a comment includes its replies
  author:3f9a0c1d5e7b2468                       everything by an author: hash or platform id
  author:short-video/MS4wLjABAAAA               the same, on one platform
  hash:0x5d41…                                  every record of that prov.hash

There is no undo. Until \`mirrorlake compact\` the bytes stay in the lake's files, never in its answers.`,
  );
  examples(command, [
    'remove takedown-2026-06.txt --lake ./lake --reason "request 4711"',
    'remove --id author:3f9a0c1d5e7b2468 --lake ./lake --reason "erasure request" --json',
    'remove --id soc_shv_7400000000000000123 --lake clickhouse://me@db.example:8123/lake --reason "request 4711"',
  ]);
  command.action(async (lists: string[], options: RemoveCommandOptions) => {
    const { removeRecords } = await import("../../client/remove-records.js");
    const { parseTakedownList, readTakedownList } = await import("../../store/removals/takedown-list.js");
    const { UsageError } = await import("../../contract/errors.js");
    const targets = parseTakedownList((options.id ?? []).join("\n"), "--id");
    for (const list of lists) targets.push(...(await readTakedownList(resolve(context.cwd, list))));
    if (targets.length === 0) {
      throw new UsageError("takedown_empty", "There is nothing to remove", {
        value: lists,
        remedy: "name a list with targets, or give --id",
      });
    }
    const progress = createProgress(context);
    let report: RemoveReport;
    try {
      report = await removeRecords(targets, {
        lake: clickHouseLake(options, context) ?? lakePath(options, context),
        reason: options.reason,
        onProgress: ({ phase, done, total, unit }) => progress.update(PHASES[phase], done, total, unit),
        signal: context.signal,
      });
    } finally {
      progress.end();
    }
    // The removals hold by then: only what is left was not hashed.
    if (context.signal.aborted && report.corpus === undefined) failAsInterrupted(context);
    if (options.json) printJson(context, report);
    else printReport(report, context);
  });
}

/** Targets that name nothing which are printed; further ones are counted. */
const SHOWN_UNMATCHED = 10;

function printReport(report: RemoveReport, { out, err, signal }: CliContext): void {
  const { targets, added, unmatched, derived, hidden, withheld, total, corpus } = report;
  const more = derived > 0 ? `, ${formatCount(derived)} more derived from them` : "";
  out.write(
    `${style(out, "bold", `${counted(targets, "target")}, ${formatCount(added)} of them new${more}`)}\n`,
  );
  out.write(
    `hidden: ${counted(hidden.records, "record")}, ${counted(hidden.raw, "raw item")}; ${formatCount(hidden.redacted)} shown without their quotes of removed text\n`,
  );
  if (unmatched.length > 0) {
    const shown = unmatched.slice(0, SHOWN_UNMATCHED).map(lineOf).join(", ");
    const more =
      unmatched.length > SHOWN_UNMATCHED
        ? `, and ${formatCount(unmatched.length - SHOWN_UNMATCHED)} more`
        : "";
    err.write(
      `warning: ${counted(unmatched.length, "target")} matched nothing in this lake: ${shown}${more}; check how it is written; it holds for what is installed later\n`,
    );
  }
  if (withheld.length > 0) {
    out.write(
      `${counted(withheld.length, "slice")} withheld because of removed data; \`mirrorlake compact\` replaces withheld slices with revisions\n`,
    );
  }
  out.write(`removals in this lake: ${formatCount(total)}\n`);
  if (corpus !== undefined) out.write(`corpus minus removals: ${corpus}\n`);
  else if (signal.aborted) err.write("All is removed; what is left is not hashed: it was interrupted.\n");
}

/** A target as a takedown list has it. */
function lineOf(target: RemovalTarget): string {
  switch (target.kind) {
    case "record":
      return shownLine(target.id);
    case "raw":
      return shownLine(`raw:${target.platform}/${target.resource}/${target.id}`);
    case "author":
      return shownLine(`author:${target.platform === undefined ? "" : `${target.platform}/`}${target.id}`);
    case "hash":
      return `hash:${target.hash}`;
  }
}

/** Without characters that would move a terminal's cursor. */
function shownLine(line: string): string {
  return line.replace(/\p{Cc}/gu, encodeURIComponent);
}

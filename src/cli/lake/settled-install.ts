import { counted } from "../../contract/quantity.js";
import type { StepEnd } from "../../lake/install/background-step.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import type { MergeReport } from "../../lake/install/merge-segments.js";
import { type CliContext, Interruption } from "../context.js";
import { EXIT } from "../defaults.js";

/** What an install reports of the steps that follow its publication. */
type Settled = Pick<InstallReport, "rebuild" | "refit" | "merge">;

/** What of the lake an install made again, besides what it brought: its index, or its embedder before or after what came could be searched. */
export function remadeFacts({ change, generation, rebuild, refit }: InstallReport): string[] {
  if (change === "built" && generation > 1) return ["index rebuilt"];
  return rebuild?.kind === "refit" && refit?.ended === undefined ? ["embedder refitted"] : [];
}

/** Lines of a refit that ended early, and of the segments that were merged or why they were not; empty where there is nothing to say. */
export function settledNotes({ refit, merge }: Settled): string {
  const unfinished =
    refit?.ended === undefined
      ? ""
      : `The embedder is not refitted: ${whyEnded(refit.ended)}. All is installed, and the next install refits it.\n`;
  return unfinished + (merge === undefined ? "" : mergeNote(merge));
}

/** Makes a command end as one that was interrupted, where that ended what was to follow the publication. */
export function failIfInterrupted({ refit, merge }: Settled, context: CliContext): void {
  if ([refit?.ended, merge?.ended].includes("aborted")) failAsInterrupted(context);
}

/** Makes a command end as one that was interrupted, though what it was to change is changed. */
export function failAsInterrupted(context: CliContext): void {
  const { reason } = context.signal;
  context.fail(reason instanceof Interruption ? reason.exitCode : EXIT.interrupted);
}

function mergeNote({ segments, records, raw, ended }: MergeReport): string {
  if (ended === undefined) {
    const merged = segments.before - segments.after + 1;
    return `${merged} segments merged: ${counted(records, "record")} and ${counted(raw, "raw item")}\n`;
  }
  return `Segments are not merged: ${whyEnded(ended)}. All is installed, and the next install merges them.\n`;
}

function whyEnded(ended: StepEnd): string {
  return ended === "aborted" ? "it was interrupted" : "the disk does not take it";
}

import type { RemovalList } from "../../store/removals/removal-list.js";
import type { InstallReport } from "./install-report.js";
import { type MergeReport, mergeSegments } from "./merge-segments.js";
import type { PublishOptions } from "./publish-generation.js";
import type { Rebuild, RebuildReason } from "./rebuild.js";
import { type RefitReport, refitPublished } from "./refit-published.js";

/** A generation that extends another, and was published. */
interface Extended {
  readonly number: number;
  /** Why the embedder is to be refitted; absent where it is not. */
  readonly refit?: RebuildReason | undefined;
  readonly removals: RemovalList;
}

/** The generation that is current in the end, and how it came about. */
export interface Settled {
  readonly number: number;
  /** The refit as it was announced. */
  readonly rebuild?: Rebuild | undefined;
  readonly refit?: RefitReport | undefined;
  readonly merge?: MergeReport | undefined;
}

/**
 * Refits the embedder of an extended generation, and merges its segments, as far as it is due, each in a generation of its own. What ends
 * a refit ends the merge, too. Requires the install lock.
 * @throws what `publishGeneration` throws, but for the signal's reason and errors of the disk, which the reports tell
 */
export async function settleGeneration(
  { number, refit: reason, removals }: Extended,
  options: PublishOptions,
): Promise<Settled> {
  const refitted = reason && (await refitPublished({ number, reason, removals }, options));
  if (refitted?.refit.ended !== undefined) return refitted;
  const current = refitted?.number ?? number;
  const merged = await mergeSegments({ number: current, removals }, options);
  const { rebuild, refit } = refitted ?? {};
  return { number: merged?.number ?? current, rebuild, refit, merge: merged?.merge };
}

/** The report of an install whose generation was settled, if it was. */
export function settledReport(report: InstallReport, settled: Settled | undefined): InstallReport {
  if (settled === undefined) return report;
  const { number, rebuild = report.rebuild, refit, merge } = settled;
  return { ...report, generation: number, rebuild, refit, merge };
}

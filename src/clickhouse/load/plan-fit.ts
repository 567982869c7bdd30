import { isSmallGrowth } from "../../lake/install/growth-rule.js";
import type { RebuildReason } from "../../lake/install/rebuild.js";
import { suitsFit } from "../../search/build-upon.js";
import type { CurrentFit, FittedSize } from "../fit.js";
import type { LiveContent } from "./live-documents.js";

/** What an install does about the vectors of the lake's own embedder. */
export type FitPlan = {
  /** What the lake has after it. */
  readonly size: FittedSize;
} & (
  | {
      /** Whether all vectors are there, or records of its own or that it shows again need some. */ readonly needs:
        | "none"
        | "some";
    }
  | { /** All live records need others. */ readonly needs: "all"; readonly reason: RebuildReason }
);

/** What an install brings, as its slices count it. */
export interface Brought {
  readonly records: number;
  readonly raw: number;
  /** Whether it supersedes slices of a lake from which something was removed: the embedder is to know nothing of that. */
  readonly refits: boolean;
  /** Whether it shows rows again of which the fit that counts has no vectors. */
  readonly lacks: boolean;
}

/**
 * What an install does about vectors, as a lake in a folder does: where much comes, at once or since it was fitted, where slices go of a lake with
 * removals, or where the embedder knows too few of the texts, it is fitted to all of them; unless they are those that it is fitted to.
 * @param staged the fit by which the install's own vectors were made
 */
export function planFit(
  base: CurrentFit | undefined,
  staged: number,
  live: LiveContent,
  brought: Brought,
): FitPlan {
  const { records: liveRecords, raw: liveRaw, content } = live;
  const built = { installs: 1, grown: 0, liveRecords, liveRaw, documents: liveRecords, content };
  // The first install of a lake fitted the embedder to its own records.
  if (base === undefined) return { size: built, needs: "none" };
  const { size } = base;
  const needsSome = staged === base.fit && !brought.lacks ? "none" : "some";
  const reason = whyNotGrow(size, brought);
  if (reason === undefined)
    return {
      size: {
        ...size!,
        installs: size!.installs + 1,
        grown: size!.grown + brought.records,
        liveRecords,
        liveRaw,
      },
      needs: needsSome,
    };
  return size?.content === content
    ? { size: built, needs: needsSome }
    : { size: built, needs: "all", reason };
}

/** Why the embedder is not used as it is; undefined where it is, of which the size is known. @param size undefined where an older version of the tables did not note it */
function whyNotGrow(size: FittedSize | undefined, brought: Brought): RebuildReason | undefined {
  const { records, refits } = brought;
  if (refits) return "superseded";
  if (size === undefined) return "damaged";
  if (!isSmallGrowth(size, brought)) return "growth";
  const extension = { documents: size.liveRecords + records, brought: size.grown + records };
  return suitsFit(size, extension) ? undefined : "fit";
}

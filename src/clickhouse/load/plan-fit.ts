import { isSmallGrowth } from "../../lake/install/growth-rule.js";
import { suitsFit } from "../../search/build-upon.js";
import type { CurrentFit, FittedSize } from "../fit.js";
import type { LiveContent } from "./live-documents.js";

/** What an install does about the vectors of the lake's own embedder. */
export interface FitPlan {
  /** What the lake has after it. */
  readonly size: FittedSize;
  /** Whether its own vectors do, or all live records need others, or its own do. */
  readonly needs: "none" | "all" | "own";
}

/** What an install brings, as its slices count it. */
export interface Brought {
  readonly records: number;
  readonly raw: number;
  /** Whether it supersedes slices of the lake. */
  readonly supersedes: boolean;
}

/**
 * What an install does about vectors, as a lake in a folder does that is rebuilt: where much comes, at once or since it was fitted, where slices go, or where
 * the embedder knows too few of the texts, it is fitted to all of them; unless they are those that it is fitted to.
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
  const needsOwn = staged === base.fit ? "none" : "own";
  if (size !== undefined && !brought.supersedes && grows(size, brought))
    return {
      size: {
        ...size,
        installs: size.installs + 1,
        grown: size.grown + brought.records,
        liveRecords,
        liveRaw,
      },
      needs: needsOwn,
    };
  return { size: built, needs: size?.content === content ? needsOwn : "all" };
}

function grows(size: FittedSize, brought: Brought): boolean {
  const { records } = brought;
  const extension = { documents: size.liveRecords + records, brought: size.grown + records };
  return isSmallGrowth(size, brought) && suitsFit(size, extension);
}

import type { MessagePort } from "node:worker_threads";
import type { Failure } from "../../threads/failure.js";
import type { AmongRows } from "./among-rows.js";
import type { SearchStep, SetRecall } from "./recall/set-recall.js";
import type { Scored } from "./scores/top-k.js";
import type { SetFolder } from "./set-files.js";

/** Sets to open as one, and its measured recall. */
export interface SetToOpen {
  readonly parts: readonly SetFolder[];
  readonly recall: SetRecall | undefined;
  /** Number of its vectors whose bytes are kept in memory. */
  readonly kept: number;
  /** Whether another thread, if there is one, helps to load and to scan it. */
  readonly shared: boolean;
}

/** Message to a search thread: open sets, with the way to a thread that helps with them; search the set at an index, or abort a request. */
export type Request =
  | { readonly open: readonly SetToOpen[]; readonly mate: MessagePort | undefined }
  | {
      readonly id: number;
      readonly set: number;
      readonly query: Float32Array;
      readonly limit: number;
      readonly rows?: AmongRows;
      readonly exact?: boolean;
      readonly step?: SearchStep;
      readonly hints?: Uint32Array;
      readonly exchange?: SharedArrayBuffer | undefined;
    }
  | { readonly abort: number };

/** Rows with scores, best first, as they are sent: a copy of bytes takes less than one of many numbers. */
export interface SentRows {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
}

/** Rows as they are sent. */
export function sentRows({ rows, scores }: Scored): SentRows {
  return { rows: Uint32Array.from(rows), scores: Float64Array.from(scores) };
}

/** Rows that were sent. */
export function rowsSent({ rows, scores }: SentRows): Scored {
  return { rows: Array.from(rows), scores: Array.from(scores) };
}

/** Message from a search thread. */
export type Reply =
  | { readonly opened: true }
  | { readonly opened: false; readonly failure: Failure }
  | { readonly id: number; readonly found: SentRows }
  | { readonly id: number; readonly failure: Failure };

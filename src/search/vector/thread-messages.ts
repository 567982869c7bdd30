import type { Failure } from "../../threads/failure.js";
import type { SetRecall } from "./set-recall.js";
import type { Scored } from "./top-k.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";

/** A set that a search thread opens, and what is known of its recall. */
export interface SetToOpen {
  readonly dir: string;
  readonly manifest: VectorSetManifest;
  readonly recall: SetRecall | undefined;
}

/** What a search thread is asked: to open sets, the nearest rows of one of them, by number, or to leave a question alone. */
export type Request =
  | { readonly open: readonly SetToOpen[] }
  | {
      readonly id: number;
      readonly set: number;
      readonly query: Float32Array;
      readonly limit: number;
      readonly rows?: Uint32Array;
      readonly exact?: boolean;
      readonly depth?: number;
    }
  | { readonly abort: number };

/** What a search thread says. */
export type Reply =
  | { readonly opened: true }
  | { readonly opened: false; readonly failure: Failure }
  | { readonly id: number; readonly found: Scored }
  | { readonly id: number; readonly failure: Failure };

import type { SliceManifest } from "../../contract/manifest.js";
import type { SliceItem, SourceInfo } from "../../contract/slice-item.js";

/** A slice that was written or, being there already, kept. */
export interface WrittenSlice {
  /** Its folder: `<out>/<root>`. */
  readonly dir: string;
  readonly root: string;
  readonly manifest: SliceManifest;
  /** Bytes of all of its files. */
  readonly bytes: number;
}

/** An item whose key another item of the same input has too, with other content, captured later. */
export interface DuplicateItem {
  readonly kind: "record" | "raw";
  /** Record id, or `platform/resource/id`. */
  readonly id: string;
  /** True when both were the same; false when the older one was left out: then it belongs into the rejects. */
  readonly identical: boolean;
  readonly reason: string;
}

/** How far {@link writeSlices} has come; items are counted on arrival, slices when complete. */
export interface WriteProgress {
  readonly phase: "receive" | "write";
  readonly items: number;
  readonly slices: number;
}

/** Options of {@link writeSlices}. */
export interface WriteOptions {
  /** Folder of the slices; made when absent. */
  readonly out: string;
  readonly info: SourceInfo;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Told of every item that was left out because another has its key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
  readonly signal?: AbortSignal;
}

/** Signature of {@link writeSlices}. */
export type WriteSlices = (
  items: AsyncIterable<readonly SliceItem[]>,
  options: WriteOptions,
) => Promise<WrittenSlice[]>;

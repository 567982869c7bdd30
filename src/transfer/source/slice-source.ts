import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import type { ExpectedFile } from "../pull/partial-file.js";
import type { TransferMeter } from "../pull/transfer-meter.js";

/** A file of a slice, as its manifest describes it. */
export interface SourceFile extends ExpectedFile {
  readonly root: string;
  readonly path: string;
}

/** Where slices come from. Nothing that it says is trusted: roots prove manifests, and manifests prove files. */
export interface SliceSource {
  /** The address or path, as messages and the lock file name it. */
  readonly name: string;
  /** What it has. */
  list(): Promise<readonly SliceIndexEntry[]>;
  /** Folder of a slice that stands on this machine's disk and need not be fetched. */
  folder(root: string): string | undefined;
  /** The bytes of a slice's manifest, as they came. */
  manifest(root: string): Promise<Uint8Array>;
  /** Brings a file to a path, where it appears whole and verified or not at all. */
  file(file: SourceFile, to: string, meter: TransferMeter): Promise<void>;
}

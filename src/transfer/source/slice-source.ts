import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import type { ExpectedFile } from "../pull/partial-file.js";
import type { TransferMeter } from "../pull/transfer-meter.js";

/** A file of a slice, as its manifest describes it. */
export interface SourceFile extends ExpectedFile {
  readonly root: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A source of slices. It is not trusted: roots prove manifests, and manifests prove files. */
export interface SliceSource {
  /** Address or path, for messages and the lock file. */
  readonly name: string;
  /** Lists its slices. */
  list(): Promise<readonly SliceIndexEntry[]>;
  /** Folder of a slice on a local disk, which need not be fetched. */
  folder(root: string): string | undefined;
  /** The bytes of a slice's manifest, unverified. */
  manifest(root: string): Promise<Uint8Array>;
  /** Fetches a file to a path, where it appears complete and verified or not at all. */
  file(file: SourceFile, to: string, meter: TransferMeter): Promise<void>;
}

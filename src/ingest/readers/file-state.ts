import type { FileHandle } from "node:fs/promises";
import { formatCount } from "../../contract/quantity.js";
import { ingestError } from "../ingest-error.js";

/** What tells that a file was written to: its size in bytes and when it was changed last, epoch ns. */
export interface FileState {
  readonly size: bigint;
  readonly modifiedNs: bigint;
}

/** The state of an open file. @throws the system's error */
export async function fileState(handle: FileHandle): Promise<FileState> {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return { size, modifiedNs: mtimeNs };
}

/**
 * Refuses a file that was written to since it had a state: its last row may be half of one, and others of two editions.
 * @param label name of the file in the message
 * @throws IngestError `file_changed`
 */
export async function checkUnchanged(handle: FileHandle, before: FileState, label: string): Promise<void> {
  const after = await fileState(handle);
  if (after.size === before.size && after.modifiedNs === before.modifiedNs) return;
  const bytes = (count: bigint) => formatCount(Number(count));
  const how =
    after.size === before.size ? "" : `: it had ${bytes(before.size)} bytes, and has ${bytes(after.size)}`;
  throw ingestError(
    "file_changed",
    { file: label },
    `was written to while it was read${how}`,
    "wait until it is complete, or read a copy",
  );
}

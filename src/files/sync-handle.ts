import { fdatasync, fsync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

// By the descriptor, because the handles of Yarn's Plug'n'Play have no methods for it.
const all = promisify(fsync);
const data = promisify(fdatasync);

/** Syncs an open file or folder to disk: its content and what is known of it. */
export function syncHandle({ fd }: FileHandle): Promise<void> {
  return all(fd);
}

/** Syncs the content of an open file to disk, and what is needed to read it. */
export function syncData({ fd }: FileHandle): Promise<void> {
  return data(fd);
}

import { tmpdir } from "node:os";
import { makeTemporaryFolder, removeOwnAbandonedFolders, type TemporaryFolder } from "./temporary-folder.js";
import { writingTo } from "./writing-to.js";

/** What of a lake is in it is for no other user. */
const ONLY_OURS = 0o700;

/**
 * Creates a folder for work of this process, `mirrorlake-<kind>-<random>` in the temporary directory of the system, and removes those of
 * its kind that processes of this user left there which have ended.
 * @param kind what the work is: small letters and `-`
 * @throws DiskError `disk_full`, `not_writable`
 */
export async function makeSystemFolder(kind: string): Promise<TemporaryFolder> {
  const prefix = `mirrorlake-${kind}-`;
  await removeOwnAbandonedFolders(tmpdir(), prefix);
  return writingTo(tmpdir(), () => makeTemporaryFolder(tmpdir(), prefix, ONLY_OURS));
}

/** Does work in a folder of {@link makeSystemFolder}, which is removed after it. */
export async function inSystemFolder<T>(kind: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await makeSystemFolder(kind);
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}

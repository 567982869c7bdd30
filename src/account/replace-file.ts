import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Puts a file in place of another at once: readers see the old bytes or the new, and after a crash one of the two is
 * there. Only its owner may read it.
 */
export async function replaceFile(path: string, bytes: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory durable; Windows has no such thing and does so on its own. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

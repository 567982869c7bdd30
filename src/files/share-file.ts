import { constants, copyFile, link, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "./make-folder.js";

/** Hard-links an immutable file; copies it if the file system has no hard links. */
export async function shareFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!["EXDEV", "EPERM", "ENOTSUP", "EMLINK"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}

/** Makes a folder of the immutable files of another, as {@link shareFile} shares each. */
export async function shareFolder(from: string, to: string): Promise<void> {
  await makeFolder(to);
  for (const file of await readdir(from)) await shareFile(join(from, file), join(to, file));
}

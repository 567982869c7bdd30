import { constants, copyFile } from "node:fs/promises";

/**
 * Copies a file so that a change of the one in place never shows in the other. File systems that can share blocks until one of the
 * two is written (reflinks) take no disk for it. The mode is copied too.
 * @throws the system's error, such as `EEXIST` where there is a file
 */
export async function copyApart(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

import { access, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { UsageError } from "../../contract/errors.js";
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  type TemporaryFolder,
} from "../../files/temporary-folder.js";

/**
 * Makes a folder beside the file of an export for what is being written, and removes what killed exports to that file have left.
 * @throws UsageError `unwritable_file`
 */
export async function exportFolder(out: string): Promise<TemporaryFolder> {
  if ((await stat(out).catch(() => undefined))?.isDirectory()) {
    throw new UsageError("unwritable_file", `Cannot write ${out}: it is a folder`, {
      value: out,
      remedy: "name a file in it",
    });
  }
  const parent = dirname(out);
  try {
    await access(parent);
    const prefix = `.${basename(out)}.partial-`;
    await removeAbandonedFolders(parent, prefix);
    return await makeTemporaryFolder(parent, prefix);
  } catch (cause) {
    throw new UsageError("unwritable_file", `Cannot write ${out}: ${(cause as Error).message}`, {
      value: out,
      remedy: `name a file in a folder that can be written; ${parent} cannot`,
      cause,
    });
  }
}

import { access, constants, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What the system says of something that this user may not change, or that stands on a read-only mount. */
const READ_ONLY: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

/** Whether a folder and the files in it can be written to, or, where it is absent, made. Writes nothing. */
export async function isWritable(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    if (error.code === "EACCES") return []; // `access` says it
    throw error;
  });
  const paths =
    names === undefined ? [dirname(folder)] : [folder, ...names.map((name) => join(folder, name))];
  for (const path of paths) {
    try {
      await access(path, constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (READ_ONLY.has(code ?? "")) return false;
      if (code !== "ENOENT") throw error; // a file that another process has just removed is no hindrance
    }
  }
  return true;
}

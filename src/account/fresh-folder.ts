import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Creates a new folder `<name>`, `<name>-2` and so on, and returns its path. Existing folders are not touched. */
export async function freshFolder(dir: string, name: string): Promise<string> {
  for (let count = 1; ; count++) {
    const path = join(dir, count === 1 ? name : `${name}-${count}`);
    try {
      await mkdir(path, { mode: 0o700 });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Makes a new folder, `<name>` or `<name>-2` and so on: what is in one from before is never overwritten. */
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

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The folder itself, or the nearest above it that exists. */
export async function nearestFolder(path: string): Promise<string> {
  for (let dir = resolve(path); ; dir = dirname(dir)) {
    try {
      if ((await stat(dir)).isDirectory()) return dir;
    } catch (error) {
      if (!["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    if (dir === dirname(dir)) return dir;
  }
}

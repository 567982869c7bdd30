import { readdirSync, readlinkSync, realpathSync } from "node:fs";

/** Paths of files below a path prefix that this process has open, each as often as it is; none where the system does not say (not Linux). */
export function openFiles(prefix: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(prefix) ? [path] : [];
    } catch {
      return []; // the descriptor of the listing itself
    }
  });
}

/** The prefix of paths below an existing folder, as the system names them. */
export function within(dir: string): string {
  return `${realpathSync(dir)}/`;
}

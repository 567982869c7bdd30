import { join } from "node:path";

/** Name of the file of the salt that author ids are hashed with, in a lake or in the output folder of an ingestion. */
export const AUTHOR_SALT_FILE = "author-salt";

/** Where everything in a lake's folder stands (docs/concepts.md, "A lake on disk"). */
export function lakePaths(lake: string) {
  const generations = join(lake, "generations");
  return {
    settings: join(lake, "mirrorlake.json"),
    current: join(lake, "CURRENT"),
    /** What author ids are hashed with: the lake's secret. */
    authorSalt: join(lake, AUTHOR_SALT_FILE),
    slices: join(lake, "slices"),
    slice: (root: string) => join(lake, "slices", root),
    generations,
    generation: (number: number) => join(generations, String(number)),
    /** The file of a generation that its readers hold a shared lock on. */
    lease: (number: number) => join(generations, String(number), LEASE_FILE),
    /** What was removed from the lake, for good. */
    removals: join(lake, "removals.jsonl"),
    /** What of that each generation must hide: derived, one file for a generation and a state of the removals. */
    removed: join(lake, "removed"),
    removedRows: (generation: number, digest: string) =>
      join(lake, "removed", `${generation}-${digest}.json`),
    locks: join(lake, "locks"),
    /** What the installing process holds a lock on. */
    installLock: join(lake, "locks", "install"),
    /** Slices that are being pulled: a folder for each root, with whole and partial files. */
    incoming: join(lake, "incoming"),
    /** What the pulling process holds a lock on. */
    pullLock: join(lake, "locks", "pull"),
  };
}

/** Name of the file in a generation's folder that its readers hold a shared lock on; nothing but a lock may open it. */
export const LEASE_FILE = "readers.lock";

/** Folder of the search index in a generation's folder. */
export const SEARCH_FOLDER = "search";

/** Names that a lake's folder holds, beyond which an installation that failed at once removes nothing. */
export const LAKE_ENTRIES = ["mirrorlake.json", "slices", "generations", "locks"] as const;

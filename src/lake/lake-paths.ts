import { join } from "node:path";

/** File name of the salt of author hashes, in a lake or in the output folder of an ingest. */
export const AUTHOR_SALT_FILE = "author-salt";

/** File name of a lake's settings, and the folder of its slices. */
export const SETTINGS_FILE = "mirrorlake.json";
export const SLICES_FOLDER = "slices";

/** File name of a lake's removals, which every call looks at. */
export const REMOVALS_FILE = "removals.jsonl";

/** Paths of all files in a lake's folder (docs/concepts.md, "A lake on disk"). */
export function lakePaths(lake: string) {
  const generations = join(lake, "generations");
  return {
    settings: join(lake, SETTINGS_FILE),
    current: join(lake, "CURRENT"),
    /** Salt of author hashes: the lake's secret. */
    authorSalt: join(lake, AUTHOR_SALT_FILE),
    slices: join(lake, SLICES_FOLDER),
    slice: (root: string) => join(lake, SLICES_FOLDER, root),
    /** There from before the first install places a slice until just before it publishes its generation. */
    firstInstall: join(lake, SLICES_FOLDER, ".first-install"),
    generations,
    generation: (number: number) => join(generations, String(number)),
    /** The file of a generation on which readers hold a shared lock. */
    lease: (number: number) => join(generations, String(number), LEASE_FILE),
    /** Removals of the lake, permanent. */
    removals: join(lake, REMOVALS_FILE),
    /** Hidden rows, derived: one file per generation and state of the removals. */
    removed: join(lake, "removed"),
    removedRows: (generation: number, digest: string) =>
      join(lake, "removed", `${generation}-${digest}.json`),
    /** What the last pulls of datasets brought. */
    datasets: join(lake, "datasets.json"),
    locks: join(lake, "locks"),
    /** Lock file of installs. */
    installLock: join(lake, "locks", "install"),
    /** Slices being pulled: a folder per root, with complete and partial files. */
    incoming: join(lake, "incoming"),
    /** Lock file of pulls. */
    pullLock: join(lake, "locks", "pull"),
  };
}

/** File name in a generation's folder on which readers hold a shared lock. Open it only to lock it. */
export const LEASE_FILE = "readers.lock";

/** Beginnings of the names of files in a generation's folder that have no checksum: only locks, which nothing else may open. */
export const UNCHECKED_FILES: readonly string[] = [LEASE_FILE];

/** Folder of the search index in a generation's folder. */
export const SEARCH_FOLDER = "search";

/** Entries of a new lake's folder; a failed first install removes only these, in this order. */
export const LAKE_ENTRIES = ["generations", SLICES_FOLDER, "locks", SETTINGS_FILE] as const;

import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../contract/check-options.js";
import { PathOption } from "../contract/option-schemas.js";
import { readFixture } from "./fixture-file.js";

/** Name of a slice's manifest. */
const MANIFEST = "datapackage.json";
/** Raised where lakes of an older release would differ. */
const CACHE_FORMAT = 1;

/**
 * Makes a lake on disk of a fixture at its first use, and finds it by the fixture's hash from then on. Any number of workers share
 * it: `openLake(await cachedLake("world.jsonl", ".cache"), { readOnly: true, account: "memory" })`.
 * @param fixture a file of JSON Lines with records and raw items, or a slice or folder of slices
 * @param cache folder of the lakes; it is made
 * @returns the lake's folder
 * @throws UsageError `unreadable_file`; IngestError `row_invalid`
 */
export async function cachedLake(fixture: string, cache: string): Promise<string> {
  checkArgument(PathOption, fixture, "fixture", "cachedLake");
  checkArgument(PathOption, cache, "cache", "cachedLake");
  const isFolder = await stat(fixture).then(
    (found) => found.isDirectory(),
    () => false, // reading it names the problem
  );
  const rows = isFolder ? undefined : await readFixture(fixture);
  const lake = join(cache, await digestOf(fixture, isFolder));
  if (await exists(lake)) return lake;
  await mkdir(cache, { recursive: true });
  const made = join(cache, `.tmp-${randomUUID()}`);
  try {
    if (rows === undefined) {
      const { installSlices } = await import("../lake/install/install-slices.js");
      await installSlices([fixture], { lake: made });
    } else {
      const { createLake } = await import("../ingest/create-lake.js");
      await createLake(made, rows);
    }
    await rename(made, lake);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // Another worker was faster: its lake is the same.
    if (!(await exists(lake))) throw error;
  }
  return lake;
}

async function digestOf(fixture: string, isFolder: boolean): Promise<string> {
  const hash = createHash("sha256").update(`${CACHE_FORMAT}\n`);
  if (!isFolder)
    return hash
      .update(await readFile(fixture))
      .digest("hex")
      .slice(0, 32);
  const files = (await readdir(fixture, { recursive: true }))
    .filter((path) => path.endsWith(MANIFEST))
    .sort();
  // A manifest has the hashes of the slice's files.
  for (const path of files) hash.update(await readFile(join(fixture, path)));
  return hash.digest("hex").slice(0, 32);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

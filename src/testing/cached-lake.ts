import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkArgument } from "../contract/check-options.js";
import { PathOption } from "../contract/option-schemas.js";
import type { CreateLakeOptions } from "../ingest/create-lake.js";
import type { LakeRow } from "../ingest/lake-row.js";
import { readFixture } from "./fixture-file.js";
import { asSoleBuilder } from "./sole-builder.js";

/** Name of a slice's manifest. */
const MANIFEST = "datapackage.json";
/** Raised where lakes of an older release would differ. */
const CACHE_FORMAT = 1;
/** In the name of a lake that is being made, after its own. */
const MAKING = ".making-";

/**
 * Makes a lake on disk of a fixture at its first use, and finds it by the fixture's hash from then on. Any number of workers share
 * it: one makes it, the others wait. `openLake(await cachedLake("world.jsonl", ".cache"), { readOnly: true, account: "memory" })` opens it.
 * @param fixture a file of JSON Lines with records and raw items, or a slice or folder of slices
 * @param cache folder of the lakes; it is made
 * @returns the lake's folder
 * @throws UsageError `unreadable_file`; IngestError `row_invalid`
 */
export async function cachedLake(fixture: string, cache: string): Promise<string> {
  checkArgument(PathOption, fixture, "fixture", "cachedLake");
  checkArgument(PathOption, cache, "cache", "cachedLake");
  return (await isFolder(fixture)) ? cachedLakeOfSlices(fixture, cache) : cachedLakeOfFile(fixture, cache);
}

/** Whether a path is a folder. Reading the path names the problem of one that cannot be read. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** As {@link cachedLake}, of a slice or a folder of slices. */
export async function cachedLakeOfSlices(slices: string, cache: string): Promise<string> {
  const files = (await readdir(slices, { recursive: true })).filter((path) => path.endsWith(MANIFEST)).sort();
  // A manifest has the hashes of the slice's files.
  const manifests = await Promise.all(files.map((path) => readFile(join(slices, path))));
  return cached(manifests, cache, async (lake) => {
    const { installSlices } = await import("../lake/install/install-slices.js");
    await installSlices([slices], { lake });
  });
}

/** As {@link cachedLake}, of rows. */
export async function cachedLakeOfRows(
  rows: readonly LakeRow[],
  options: CreateLakeOptions,
  cache: string,
): Promise<string> {
  const { capturedAt, platforms, vectorModel } = options;
  const text = JSON.stringify([rows, capturedAt, platforms, vectorModel]);
  return cached([text], cache, (lake) => create(lake, rows, options));
}

async function cachedLakeOfFile(file: string, cache: string): Promise<string> {
  const rows = await readFixture(file);
  return cached([await readFile(file)], cache, (lake) => create(lake, rows));
}

async function create(lake: string, rows: readonly LakeRow[], options?: CreateLakeOptions): Promise<void> {
  const { createLake } = await import("../ingest/create-lake.js");
  await createLake(lake, rows, options);
}

/** The folder of the lake of a content, which `make` makes where there is none; others wait for it. */
async function cached(
  content: readonly (string | Buffer)[],
  cache: string,
  make: (lake: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256").update(`${CACHE_FORMAT}\n`);
  for (const part of content) hash.update(part);
  const name = hash.digest("hex").slice(0, 32);
  const lake = join(cache, name);
  if (await exists(lake)) return lake;
  await mkdir(cache, { recursive: true });
  const isBuilt = () => exists(lake);
  await asSoleBuilder(join(cache, `.${name}.lock`), isBuilt, async () => {
    await removeLeftovers(cache, name);
    const made = join(cache, `.${name}${MAKING}${randomUUID()}`);
    try {
      await make(made);
      await rename(made, lake);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      // Without locks another worker may have been faster: its lake is the same.
      if (!(await isBuilt())) throw error;
    }
  });
  return lake;
}

/** Removes what killed builds of a lake left: the lake itself, and what is made beside one. */
async function removeLeftovers(cache: string, name: string): Promise<void> {
  const left = (await readdir(cache)).filter((entry) => entry.includes(`${name}${MAKING}`));
  for (const entry of left) await rm(join(cache, entry), { recursive: true, force: true });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

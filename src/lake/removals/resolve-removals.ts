import { DatabaseError, LakeError } from "../../contract/errors.js";
import type { RemovalTarget } from "../../contract/lake/removal.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { inSystemFolder } from "../../files/system-folder.js";
import { makeTemporaryFolder } from "../../files/temporary-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { verifySlice } from "../../slice/verify-slice.js";
import { readGenerationManifest, readSliceManifests } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { type DeriveOptions, deriveRemovals } from "../../store/removals/derive-removals.js";
import { findRemovedRows } from "../../store/removals/find-removed-rows.js";
import { type KnownSlice, lostRoots } from "../../store/removals/known-slice.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import type { RemovedRows } from "../../store/removals/removed-rows.js";
import { otherForms } from "../../store/removals/target-forms.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { lakePaths } from "../lake-paths.js";
import { generationNumbers, heldGenerations } from "../open/leases.js";
import { sliceFault } from "../slice-fault.js";
import { currentDigest, writeRemovals } from "./removals-file.js";
import { writeRemovedRows } from "./write-removed-rows.js";

/** When and why something is removed. */
export interface RemovalNote {
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/** The slices of a generation; those whose files are gone or not of their sizes are lost. */
async function slicesOfGeneration(lake: string, dir: string): Promise<KnownSlice[]> {
  const slices: KnownSlice[] = [];
  for (const manifest of await readSliceManifests(dir)) {
    const isLost = (await sliceFault(lake, manifest)) !== undefined;
    slices.push({ dir: lakePaths(lake).slice(manifest.mirrorlake.root), manifest, isLost });
  }
  return slices;
}

/**
 * Works with a generation's slices, none if there is no generation. What the engine cannot read of them fails at first; then the slices
 * whose bytes are not theirs count as lost, too.
 */
async function withSlices<T>(
  lake: string,
  dir: string | undefined,
  signal: AbortSignal | undefined,
  work: (slices: readonly KnownSlice[]) => Promise<T>,
): Promise<T> {
  const slices = dir === undefined ? [] : await slicesOfGeneration(lake, dir);
  try {
    return await work(slices);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const read: KnownSlice[] = [];
    for (const slice of slices) {
      const isLost =
        (await sliceFault(lake, slice.manifest, (folder) => verifySlice(folder, { signal }))) !== undefined;
      read.push({ ...slice, isLost });
    }
    if (lostRoots(read).length === lostRoots(slices).length) throw error;
    return work(read);
  }
}

/** What {@link addDerived} did. */
export interface AddedRemovals {
  readonly derived: number;
  readonly unmatched: readonly RemovalTarget[];
}

/** How rows are found. */
interface ResolvingOptions {
  /** Called before the first step of a generation and after each, with how many are done of how many. */
  readonly onStep?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which generations to look at. */
export interface ResolveOptions extends ResolvingOptions {
  /** Number of the current generation, or of one about to be published; it may have no readers yet. */
  readonly current: number | undefined;
}

/**
 * Adds to a list what follows from it, given a generation by its folder, if any, and further slices: the other forms of the ids of takedowns,
 * and what is derived from all. Of a slice of the generation that cannot be read, what the generation holds counts. Returns how many were
 * added, and which of the asked targets name nothing.
 */
export async function addDerived(
  lake: string,
  list: RemovalList,
  {
    generation,
    slices = [],
  }: { readonly generation: string | undefined; readonly slices?: readonly SourceSlice[] },
  note: RemovalNote,
  options: Pick<DeriveOptions, "fresh" | "asked" | "signal"> = {},
): Promise<AddedRemovals> {
  if (list.size === 0) return { derived: 0, unmatched: [] };
  const before = list.size;
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  for (const entry of [...list.entries()]) {
    if (turn.isOver()) await turn.next();
    if (entry.derived !== true)
      for (const removal of otherForms(entry.removal)) list.add({ removal, ...note, derived: true });
  }
  const { derived, unmatched } = await withSlices(lake, generation, options.signal, (known) =>
    withLakeSpill(lake, (tempDirectory) =>
      deriveRemovals([...known, ...slices], [...list.removals()], { ...options, tempDirectory, generation }),
    ),
  );
  for (const removal of derived) {
    if (turn.isOver()) await turn.next();
    list.add({ removal, ...note, derived: true });
  }
  return { derived: list.size - before, unmatched };
}

/** Derives which rows a generation hides for a list of removals. Writes nothing into the lake. */
export async function resolveGeneration(
  lake: string,
  dir: string,
  list: RemovalList,
  options: ResolvingOptions = {},
): Promise<RemovedRows> {
  return resolveIn(withSystemSpill, lake, dir, list, options);
}

async function resolveIn(
  spill: typeof withSystemSpill,
  lake: string,
  dir: string,
  list: RemovalList,
  options: ResolvingOptions,
): Promise<RemovedRows> {
  return withSlices(lake, dir, options.signal, (slices) =>
    spill(lake, (tempDirectory) =>
      findRemovedRows(dir, slices, [...list.removals()], { ...options, tempDirectory }),
    ),
  );
}

/** Whether this version reads a generation: it is of its format. */
async function isReadable(dir: string): Promise<boolean> {
  try {
    await readGenerationManifest(dir);
    await readSliceManifests(dir);
    return true;
  } catch (error) {
    if (error instanceof LakeError && error.code === "generation_invalid") return false;
    throw error;
  }
}

/**
 * Derives and stores which rows generations hide for a list of removals: the given generation, and all with
 * readers that this version reads. Readers of another show nothing without such a file.
 */
export async function resolveGenerations(
  lake: string,
  list: RemovalList,
  digest: string,
  { current, signal, onStep }: ResolveOptions,
): Promise<Map<number, RemovedRows>> {
  const resolved = new Map<number, RemovedRows>();
  const held = await heldGenerations(lake);
  const numbers = await generationNumbers(lake);
  for (const number of numbers.filter((n) => n === current || held.has(n))) {
    const dir = lakePaths(lake).generation(number);
    if (number !== current && !(await isReadable(dir))) continue;
    const rows = await resolveIn(withLakeSpill, lake, dir, list, { signal, onStep });
    await writeRemovedRows(lake, number, digest, rows);
    resolved.set(number, rows);
  }
  return resolved;
}

/**
 * Stores a grown list as the lake's removals, after deriving the hidden rows of every generation. Requires the
 * install lock.
 */
export async function keepRemovals(lake: string, list: RemovalList, options: ResolveOptions): Promise<void> {
  if (list.size === 0) return;
  const digest = await list.digest(options.signal);
  await resolveGenerations(lake, list, digest, options);
  if (digest !== currentDigest(lake)) await writeRemovals(lake, list, digest);
}

/** Provides a temporary folder in the lake for data larger than memory. Requires the install lock. */
async function withLakeSpill<T>(lake: string, work: (tempDirectory: string) => Promise<T>): Promise<T> {
  const temporary = await makeTemporaryFolder(lakePaths(lake).removed);
  try {
    return await work(temporary.path);
  } finally {
    await temporary.remove();
  }
}

/** Provides a temporary folder of the system: readers of a lake write nothing into it. */
async function withSystemSpill<T>(_lake: string, work: (tempDirectory: string) => Promise<T>): Promise<T> {
  return inSystemFolder("removals", (folder) => writingTo(folder, () => work(folder)));
}

import { join, resolve } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { CallbackOption, FlagOption, PathOption, SignalOption } from "../contract/option-schemas.js";
import {
  HashPolicy,
  type SliceItem,
  SourceInfo,
  type SourceInfoInput,
} from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { makeFolder, removeMadeFolders } from "../files/make-folder.js";
import { makeTemporaryFolder, removeAbandonedFolders } from "../files/temporary-folder.js";
import { writingTo } from "../files/writing-to.js";
import { nextTurn } from "../next-turn.js";
import { asRevised, assignRevised, isSameEdition, sameFiles } from "./assign-revised.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import { type DuplicateItem, dropDuplicates } from "./drop-duplicates.js";
import { ManifestOption } from "./manifest-option.js";
import { partition } from "./partition.js";
import { publishSlice, type WrittenSlice } from "./publish-slice.js";
import { Staging } from "./staging.js";
import { countResources, partFacts, writeManifest, writePart } from "./write-part.js";

/** Progress of {@link writeSlices}: items are counted on arrival, slices when complete. */
export interface WriteProgress {
  readonly phase: "receive" | "write";
  readonly items: number;
  readonly slices: number;
}

/** Options of {@link writeSlices}. */
export interface WriteOptions {
  /** Folder of the slices; created if absent. */
  readonly out: string;
  /** What is true of all items: `title` and `licence` at least. */
  readonly info: SourceInfoInput;
  /**
   * How a given `prov.hash` is treated. `check` (the default) refuses one that is not the hash of the record's content; `keep`
   * stores it as given, and the manifest says so (`hashes: "kept"`); `computed` stores a hash that the producer computed with
   * `recordHash`. An absent one is always computed.
   */
  readonly hashes?: HashPolicy;
  /**
   * Slices that the output revises: each is superseded by the new slice of its platform, language and month, or by the first
   * one if there is none. A new slice that would be identical is not written.
   */
  readonly revises?: readonly SliceManifest[];
  /**
   * Whether a slice that would be identical to the one it revises is written as that one is, by its root, and no items at all are
   * no error. Identical is then one of the same title, licence and attribution too. Default: false.
   */
  readonly keepSame?: boolean;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Called with each item dropped as a duplicate of another item's key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
  /**
   * Called with the number of places (`at` of items) none of whose items is in the slices, because others with their keys are and
   * differ; not called if there are none.
   */
  readonly onLostRows?: (rows: number) => void;
  readonly signal?: AbortSignal;
}

const ItemsOption = z.custom<AsyncIterable<readonly SliceItem[]>>(
  (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
  "must be an async iterable of arrays of items; createLake takes plain arrays",
);

const OPTIONS = optionsSchema<WriteOptions>(() => ({
  out: PathOption,
  info: SourceInfo,
  hashes: HashPolicy.optional(),
  revises: z.array(ManifestOption).optional(),
  keepSame: FlagOption.optional(),
  onProgress: CallbackOption.optional(),
  onDuplicate: CallbackOption.optional(),
  onLostRows: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Writes items as slices, one per domain, platform, language and month of capture (UTC): `<out>/<root hash>/` with
 * `datapackage.json` and, if they have rows, `records.parquet`, `raw.parquet` and `vectors.arrow`. Rows are sorted by id: the same
 * items in any order give the same bytes. Slices are written to a temporary folder of `out`, synced, then renamed; a failure
 * leaves nothing. An existing slice is kept.
 * @throws IngestError for an invalid item; SliceError `hash_mismatch`, or `slice_damaged` for a damaged slice of the same root in
 * `out`; UsageError `unwritable_folder`; the signal's reason when aborted
 */
export async function writeSlices(
  items: AsyncIterable<readonly SliceItem[]>,
  options: WriteOptions,
): Promise<WrittenSlice[]> {
  checkArgument(ItemsOption, items, "items", "writeSlices");
  checkOptions(OPTIONS, options, "writeSlices");
  const at = { ...options, out: resolve(options.out) };
  return writingTo(at.out, async () => {
    const made = await makeFolder(at.out);
    return writeItems(items, at).catch(async (error: unknown) => {
      await removeMadeFolders(at.out, made);
      throw error;
    });
  });
}

async function writeItems(
  items: AsyncIterable<readonly SliceItem[]>,
  options: WriteOptions,
): Promise<WrittenSlice[]> {
  const { out, hashes = "check", keepSame = false, signal, onProgress } = options;
  const info = SourceInfo.parse(options.info);
  await removeAbandonedFolders(out);
  const temporary = await makeTemporaryFolder(out);
  let staging: Staging | undefined;
  try {
    staging = await Staging.open(temporary.path, info, hashes);
    let turned = { items: 0, bytes: 0 };
    for await (const batch of items) {
      for (let from = 0; from < batch.length; from += STAGING_DEFAULTS.turnItems) {
        signal?.throwIfAborted();
        await staging.add(batch.slice(from, from + STAGING_DEFAULTS.turnItems));
        const isFew = staging.items - turned.items < STAGING_DEFAULTS.turnItems;
        if (isFew && staging.bytesAdded - turned.bytes < STAGING_DEFAULTS.turnBytes) continue;
        // Neither the staging nor a caller's generator need wait for anything: without this others never had a turn.
        await nextTurn();
        turned = { items: staging.items, bytes: staging.bytesAdded };
      }
      onProgress?.({ phase: "receive", items: staging.items, slices: 0 });
    }
    await staging.finish();
    const lostRows = await dropDuplicates(staging, options.onDuplicate, signal);
    if (lostRows > 0) options.onLostRows?.(lostRows);
    const parts = await partition(staging, signal);
    if (keepSame && parts.length === 0) return [];
    const revised = assignRevised(staging, parts, options.revises ?? []);
    const resources = parts.some(({ raw }) => raw > 0)
      ? await countResources(staging)
      : new Map<number, Record<string, number>>();
    const facts = await partFacts(staging);
    const made: { dir: string; manifest: SliceManifest }[] = [];
    for (const [i, part] of parts.entries()) {
      signal?.throwIfAborted();
      const dir = join(temporary.path, `slice-${part.part}`);
      const source = {
        info,
        hashes,
        revises: revised[i]!,
        resources: resources.get(part.part) ?? {},
        facts,
      };
      const manifest = await writePart(staging, part, dir, source, signal);
      const [before, ...more] = revised[i]!;
      const only = more.length === 0 ? before : undefined;
      if (only !== undefined && keepSame && isSameEdition(manifest, only)) {
        const same = asRevised(manifest, only);
        await writeManifest(dir, same);
        made.push({ dir, manifest: same });
      } else if (only === undefined || keepSame || !sameFiles(manifest, only)) made.push({ dir, manifest });
      onProgress?.({ phase: "write", items: staging.items, slices: made.length });
    }
    signal?.throwIfAborted();
    const written: WrittenSlice[] = [];
    for (const { dir, manifest } of made) written.push(await publishSlice(dir, manifest, out));
    return written;
  } finally {
    await staging?.close();
    await temporary.remove();
  }
}

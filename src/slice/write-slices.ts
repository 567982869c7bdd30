import { join } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { CallbackOption, PathOption, SignalOption } from "../contract/option-schemas.js";
import {
  HashPolicy,
  type SliceItem,
  SourceInfo,
  type SourceInfoInput,
} from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { makeFolder } from "../files/make-folder.js";
import { makeTemporaryFolder, removeAbandonedFolders } from "../files/temporary-folder.js";
import { assignRevised, sameFiles } from "./assign-revised.js";
import { type DuplicateItem, dropDuplicates } from "./drop-duplicates.js";
import { ManifestOption } from "./manifest-option.js";
import { partition } from "./partition.js";
import { publishSlice, type WrittenSlice } from "./publish-slice.js";
import { Staging } from "./staging.js";
import { writePart } from "./write-part.js";

/** How far {@link writeSlices} has come; items are counted on arrival, slices when complete. */
export interface WriteProgress {
  readonly phase: "receive" | "write";
  readonly items: number;
  readonly slices: number;
}

/** Options of {@link writeSlices}. */
export interface WriteOptions {
  /** Folder of the slices; made when absent. */
  readonly out: string;
  /** What is true of all items: `title` and `licence` at least. */
  readonly info: SourceInfoInput;
  /**
   * What happens to a `prov.hash` that a record brings: `check` (the default) refuses one that is not the hash of what the
   * record says; `keep` stores each as it came, and the manifest says so (`hashes: "kept"`); `computed` stores what the producer has
   * computed with `recordHash` itself. An absent one is computed.
   */
  readonly hashes?: HashPolicy;
  /**
   * Slices of which these are the revision: each is superseded by the one of its platform, language and month, or by the first
   * where there is none; one that would be the same is not written.
   */
  readonly revises?: readonly SliceManifest[];
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Told of every item that was left out because another has its key. */
  readonly onDuplicate?: (duplicate: DuplicateItem) => void;
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
  onProgress: CallbackOption.optional(),
  onDuplicate: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Writes items as slices, one for each domain, platform, language and month of capture (UTC): `<out>/<root hash>/` with
 * `datapackage.json`, `records.parquet`, `raw.parquet` and `vectors.arrow` where there is something to hold. Sorted by
 * id: the same items give the same bytes, whatever the order in which they came. Works in a temporary folder of `out`,
 * syncs, then renames; on failure nothing stays behind. A slice that is there already is kept.
 * @throws IngestError for an item that no slice can hold; SliceError `hash_mismatch`, or when `out` has a damaged slice of the same root;
 * UsageError `unwritable_folder`; the signal's reason when aborted
 */
export async function writeSlices(
  items: AsyncIterable<readonly SliceItem[]>,
  options: WriteOptions,
): Promise<WrittenSlice[]> {
  checkArgument(ItemsOption, items, "items", "writeSlices");
  checkOptions(OPTIONS, options, "writeSlices");
  const { out, hashes = "check", signal, onProgress } = options;
  const info = SourceInfo.parse(options.info);
  await makeFolder(out);
  await removeAbandonedFolders(out);
  const temporary = await makeTemporaryFolder(out);
  let staging: Staging | undefined;
  try {
    staging = await Staging.open(temporary.path, info, hashes);
    for await (const batch of items) {
      signal?.throwIfAborted();
      await staging.add(batch);
      onProgress?.({ phase: "receive", items: staging.items, slices: 0 });
    }
    await staging.finish();
    await dropDuplicates(staging, options.onDuplicate, signal);
    const parts = await partition(staging, signal);
    const revised = assignRevised(staging, parts, options.revises ?? []);
    const made: { dir: string; manifest: SliceManifest }[] = [];
    for (const [i, part] of parts.entries()) {
      signal?.throwIfAborted();
      const dir = join(temporary.path, `slice-${part.part}`);
      const manifest = await writePart(staging, part, dir, { info, hashes, revises: revised[i]! }, signal);
      if (revised[i]!.length !== 1 || !sameFiles(manifest, revised[i]![0]!)) made.push({ dir, manifest });
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

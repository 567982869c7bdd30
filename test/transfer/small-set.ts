import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { batches, INFO, makeItems } from "../lake/items.js";

/** A published folder of small slices, and the slices that it was made of. */
export interface SmallSet {
  readonly dir: string;
  readonly slices: string;
  readonly out: string;
  readonly manifests: readonly SliceManifest[];
  remove(): Promise<void>;
}

/** Writes slices of items `from` … `to` and publishes them. */
export async function smallSet(from = 0, to = 120): Promise<SmallSet> {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-pull-"));
  const slices = join(dir, "slices");
  const out = join(dir, "public");
  const written = await writeSlices(batches(makeItems(from, to)), { out: slices, info: INFO });
  await publishSlices([slices], { out });
  return {
    dir,
    slices,
    out,
    manifests: written.map(({ manifest }) => manifest),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Roots of manifests, in order. */
export function rootsOf(manifests: readonly SliceManifest[]): string[] {
  return manifests.map(({ mirrorlake }) => mirrorlake.root).toSorted();
}

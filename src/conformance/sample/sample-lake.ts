import { join } from "node:path";
import { CATALOGUE } from "../../contract/service/catalogue.js";
import type { EndpointSpec } from "../../contract/service/endpoint.js";
import type { SliceItem } from "../../contract/slice/slice-item.js";
import { installSlices } from "../../lake/install/install-slices.js";
import { writeSlices } from "../../staging/write-slices.js";
import { sampleItems } from "./sample-items.js";

/**
 * Builds a lake of the sample data in `dir/lake` by the ordinary way: slices written, then installed.
 * @returns the lake's folder
 * @throws the signal's reason when aborted
 */
export async function buildSampleLake(
  dir: string,
  catalogue: readonly EndpointSpec[] = CATALOGUE,
  signal?: AbortSignal,
): Promise<string> {
  return buildLake(dir, sampleItems(catalogue), { signal });
}

/**
 * Builds a lake of the given items in `dir/lake`, or adds them to one; slices are left in `dir/slices`.
 * @throws the signal's reason when aborted
 */
export async function buildLake(
  dir: string,
  items: readonly SliceItem[],
  { lake = join(dir, "lake"), signal }: { lake?: string; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const slices = await writeSlices(one(items), {
    out: join(dir, "slices"),
    info: { title: "Mirrorlake sample", licence: "CC0-1.0", platforms: [] },
    signal,
  });
  await installSlices(
    slices.map(({ dir }) => dir),
    { lake, signal },
  );
  return lake;
}

async function* one<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}

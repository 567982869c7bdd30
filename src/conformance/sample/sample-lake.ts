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
 */
export async function buildSampleLake(
  dir: string,
  catalogue: readonly EndpointSpec[] = CATALOGUE,
): Promise<string> {
  return buildLake(dir, sampleItems(catalogue));
}

/** Builds a lake of the given items in `dir/lake`, or adds them to one; slices are left in `dir/slices`. */
export async function buildLake(
  dir: string,
  items: readonly SliceItem[],
  lake: string = join(dir, "lake"),
): Promise<string> {
  const slices = await writeSlices(one(items), {
    out: join(dir, "slices"),
    info: { title: "Mirrorlake sample", licence: "CC0-1.0", platforms: [] },
  });
  await installSlices(
    slices.map(({ dir }) => dir),
    { lake },
  );
  return lake;
}

async function* one<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}

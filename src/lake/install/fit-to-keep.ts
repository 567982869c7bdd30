import { join } from "node:path";
import { isFitted } from "../../search/build-upon.js";
import { grownBy } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import type { PublishOptions } from "./publish-generation.js";
import type { Published } from "./published.js";
import { itemsOf } from "./why-not-grow.js";

/** How a generation is built again with the published one's embedder as it is fitted, if it has such a one. */
export async function fitToKeep(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
): Promise<Pick<PublishOptions, "fit" | "localSet">> {
  const search = join(dir, SEARCH_FOLDER);
  if (!(await isFitted(search))) return { localSet: false };
  return { localSet: true, fit: { dir: search, grown: grownBy(manifest!) + itemsOf(added).records } };
}

import { join } from "node:path";
import { SearchError } from "../../contract/errors.js";
import { readIndexManifest } from "../../search/index-manifest.js";
import type { GraphWish } from "../../search/vector/graph/choose-graph.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import type { Published } from "./published.js";

/**
 * Which sets of the next generation get graphs: as the options ask, else as was asked for when the published one was built.
 * @throws what reading its files throws
 */
export async function graphWish(
  published: Published | undefined,
  { index, graphFrom }: GraphWish,
): Promise<GraphWish> {
  const asks = index !== undefined || graphFrom !== undefined;
  if (asks || published?.manifest === undefined) return { index, graphFrom };
  try {
    const { graphs } = await readIndexManifest(join(published.dir, SEARCH_FOLDER));
    // What was not asked for follows the defaults of this version.
    return graphs === undefined || graphs.index === "auto" ? {} : graphs;
  } catch (error) {
    // A damaged index is built again; what it was asked for is not known any more.
    if (error instanceof SearchError && error.code === "index_unreadable") return {};
    throw error;
  }
}

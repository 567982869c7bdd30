import { readUnmerged } from "../../store/generation/base-generation.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import type { PublishOptions } from "./publish-generation.js";
import type { Published } from "./published.js";
import { type Settled, settleGeneration } from "./settle-generation.js";
import { isSoundBase, whyOutgrown } from "./why-not-grow.js";

/**
 * Takes the steps that an install before left to do: the refit of the embedder, and the merge of segments. A lake that cannot be extended
 * as it is, by damage or by an embedder that is not given, keeps its generation. Requires the install lock.
 * @returns undefined where nothing is to be done
 * @throws SearchError `index_unreadable`; what `settleGeneration` throws
 */
export async function takeDueSteps(
  { dir, manifest, number }: Published,
  removals: RemovalList,
  options: PublishOptions,
): Promise<Settled | undefined> {
  if (manifest === undefined) return undefined;
  const outgrown = await whyOutgrown({ dir, manifest }, options.embedder);
  if (outgrown === "index") return undefined;
  // What was removed from a lake is to go from its embedder, too: that takes a rebuild, which only an install that brings something is.
  const refit = removals.size > 0 ? undefined : outgrown;
  if (refit === undefined && (await readUnmerged(dir, manifest)) === undefined) return undefined;
  if (!(await isSoundBase(dir))) return undefined;
  return settleGeneration({ number, refit, removals }, options);
}

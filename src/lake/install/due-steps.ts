import { LakeError, SearchError } from "../../contract/errors.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { readUnmerged } from "../../store/generation/base-generation.js";
import {
  type GenerationManifest,
  readGenerationManifest,
} from "../../store/generation/generation-manifest.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { lakePaths } from "../lake-paths.js";
import type { PublishOptions } from "./publish-generation.js";
import { currentOrNone, type Published } from "./published.js";
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
  const due = await findDue({ dir, manifest }, options.embedder);
  if (due === undefined || !(await isSoundBase(dir))) return undefined;
  return settleGeneration({ number, refit: due === "refit" ? "fit" : undefined, removals }, options);
}

/**
 * Whether installs before left steps to do in a lake. It reads only, and takes no lock. Where the current generation cannot be read none are
 * known: what repairs it is asked for by itself.
 */
export async function hasDueSteps(lake: string, embedder?: Embedder): Promise<boolean> {
  const number = await currentOrNone(lake);
  if (number === undefined) return false;
  const dir = lakePaths(lake).generation(number);
  try {
    return (await findDue({ dir, manifest: await readGenerationManifest(dir) }, embedder)) !== undefined;
  } catch (error) {
    const damaged = error instanceof LakeError || error instanceof SearchError;
    if (damaged || (error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The first step that is left to do in a generation; a merge may follow a refit. */
async function findDue(
  { dir, manifest }: { readonly dir: string; readonly manifest: GenerationManifest },
  embedder: Embedder | undefined,
): Promise<"refit" | "merge" | undefined> {
  const outgrown = await whyOutgrown({ dir, manifest }, embedder);
  if (outgrown === "index") return undefined;
  if (outgrown === "fit") return "refit";
  return (await readUnmerged(dir, manifest)) === undefined ? undefined : "merge";
}

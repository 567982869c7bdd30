import { join } from "node:path";
import { SearchError } from "../../contract/errors.js";
import { FeatureTable } from "./feature-table.js";
import { MODEL_FILES, modelId, readModelManifest } from "./model-manifest.js";
import { PackedVocabulary } from "./packed-vocabulary.js";

/** A fitted embedder whose files were opened: nothing is looked for by their names any more. */
export interface OpenModel {
  /** Id of the embedder. */
  readonly id: string;
  readonly vocabulary: PackedVocabulary;
  /** Who opened it closes it. */
  readonly vectors: FeatureTable;
}

/**
 * Opens the fit in a folder.
 * @throws SearchError `embedder_unreadable` if it is incomplete.
 */
export async function openModel(dir: string): Promise<OpenModel> {
  const manifest = await readModelManifest(dir);
  try {
    const vocabulary = await PackedVocabulary.read(join(dir, MODEL_FILES.vocabulary));
    if (vocabulary.size !== manifest.features) throw new RangeError("the vocabulary is not whole");
    const vectors = FeatureTable.open(join(dir, MODEL_FILES.vectors), vocabulary.vectorCount);
    return { id: modelId(manifest), vocabulary, vectors };
  } catch (cause) {
    throw new SearchError("embedder_unreadable", "the fitted embedder of the search index is not whole", {
      value: dir,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
      cause,
    });
  }
}

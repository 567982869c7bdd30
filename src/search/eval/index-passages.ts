import { existsSync } from "node:fs";
import { join } from "node:path";
import { type BuildProgress, buildIndex } from "../build-index.js";
import type { IndexDocument } from "../document.js";
import type { Embedder } from "../embed/embedder.js";
import { INDEX_FILE, readIndexManifest } from "../index-manifest.js";
import { openIndex } from "../open-index.js";
import type { SearchIndex } from "../search-index.js";
import type { Passage } from "./read-beir.js";

/** Options of {@link indexPassages}. */
export interface IndexPassagesOptions {
  readonly embedder?: Embedder;
  /** Language of a passage that names none (BCP-47). */
  readonly detectLanguage: (text: string) => string;
  readonly threads?: number;
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
}

/** Passages in an open index. */
export interface IndexedPassages {
  readonly index: SearchIndex;
  /** Id of each row. */
  readonly ids: readonly string[];
  /** Id of the embedder. */
  readonly embedder: string;
}

/**
 * Indexes passages as a lake would, and opens the index. An index that the folder holds already is opened as it is.
 * @param dir folder of the index; made by the call
 * @param passages the passages in batches; may be read twice
 */
export async function indexPassages(
  dir: string,
  passages: () => AsyncIterable<readonly Passage[]>,
  options: IndexPassagesOptions,
): Promise<IndexedPassages> {
  const ids: string[] = [];
  const { embedder, detectLanguage, threads, signal, onProgress } = options;
  if (existsSync(join(dir, INDEX_FILE))) {
    for await (const batch of passages()) ids.push(...batch.map(({ _id }) => _id));
  } else {
    const documents = async function* () {
      ids.length = 0;
      for await (const batch of passages()) {
        ids.push(...batch.map(({ _id }) => _id));
        yield batch.map((passage) => documentOf(passage, detectLanguage));
      }
    };
    await buildIndex(dir, documents, { embedder, localSet: false, threads, signal, onProgress });
  }
  const { vectorSets } = await readIndexManifest(dir);
  return { index: await openIndex(dir, { embedder }), ids, embedder: vectorSets[0]!.embedder };
}

function documentOf({ _id, title, text, lang }: Passage, detect: (text: string) => string): IndexDocument {
  return {
    id: _id,
    lang: lang ?? detect(`${title ?? ""}\n${text ?? ""}`),
    ...(title ? { title } : {}),
    ...(text ? { text } : {}),
  };
}

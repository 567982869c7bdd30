import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { queryTerms } from "../analysis/query-terms.js";
import { Stemmers } from "../analysis/stemming.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { ReflectiveEmbedder } from "../embed/reflective-embedder.js";
import { EMBEDDER, KEYWORD, LOCAL_VECTORS } from "../index-manifest.js";
import { readLanguages } from "../keyword/keyword-manifest.js";
import { VECTOR_FILES } from "../vector/vector-files.js";
import type { SegmentWriter } from "./segment-writer.js";

/**
 * Embeds the queries that were made from the texts of new segments as a search would, and keeps them with the segments' local sets,
 * for measuring recall. Sets too small to be measured get none.
 * @param segments names of all segments of the index, whose keyword indexes are written
 */
export async function writeSamples(
  dir: string,
  segments: readonly string[],
  written: readonly { readonly name: string; readonly writer: SegmentWriter }[],
): Promise<void> {
  const measured = written.filter(({ writer }) => writer.count >= SEARCH_DEFAULTS.vector.codesFrom);
  if (measured.length === 0) return;
  const stemmers = new Stemmers();
  const languages = await readLanguages(segments.map((name) => join(dir, name, KEYWORD)));
  await stemmers.load(languages);
  const analyze = (query: string) => queryTerms(query, languages, stemmers).terms;
  const embedder = await ReflectiveEmbedder.open(join(dir, EMBEDDER), analyze);
  try {
    for (const { name, writer } of measured) {
      const vectors: Uint8Array[] = [];
      for (const text of writer.sampleQueries) {
        const vector = await embedder.embedQuery(text);
        if (vector !== undefined) vectors.push(new Uint8Array(vector.buffer));
      }
      await writeFile(join(dir, name, LOCAL_VECTORS, VECTOR_FILES.queries), Buffer.concat(vectors));
    }
  } finally {
    embedder.close();
  }
}

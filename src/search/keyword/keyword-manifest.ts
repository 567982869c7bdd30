import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";
import { parseOnce } from "../../contract/parse-once.js";
import { KEYWORD_FILES, KEYWORD_FORMAT } from "./format.js";

const count = z.number().int().min(0);

/** Manifest of a segment's keyword index, `keyword.json`. */
export const KeywordManifest = z.strictObject({
  formatVersion: z.literal(KEYWORD_FORMAT),
  documentCount: count,
  termCount: count,
  /** Languages in the order of their numbers; `length` is the sum of their documents' lengths, in half words. */
  languages: z.array(z.strictObject({ language: z.string(), documents: count, length: count })),
});
export type KeywordManifest = Readonly<z.infer<typeof KeywordManifest>>;

/**
 * Reads and checks the manifest of a keyword index.
 * @throws SearchError `keyword_index_unreadable`.
 */
export async function readKeywordManifest(dir: string): Promise<KeywordManifest> {
  try {
    return parseOnce(KeywordManifest, JSON.parse(await readFile(join(dir, KEYWORD_FILES.manifest), "utf8")));
  } catch (cause) {
    throw new SearchError("keyword_index_unreadable", "the keyword index cannot be read", {
      value: dir,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
      cause,
    });
  }
}

/**
 * Returns the languages of the documents of several segments: primary subtags, ascending.
 * @throws SearchError `keyword_index_unreadable`.
 */
export async function readLanguages(dirs: readonly string[]): Promise<string[]> {
  const manifests = await Promise.all(dirs.map(readKeywordManifest));
  return [...new Set(manifests.flatMap(({ languages }) => languages.map(({ language }) => language)))].sort();
}

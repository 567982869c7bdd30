import { existsSync } from "node:fs";
import { join } from "node:path";
import { built } from "../../built.js";

const { readJudged, readPassages } = /** @type {typeof import("../../../src/search/eval/read-beir.js")} */ (
  await built("search/eval/read-beir.js")
);

const DATA = new URL("../../../../shared/data/", import.meta.url).pathname;

/**
 * Judged collections: the folder's own, or one per language where its passages name several.
 * @param {string} dir folder in BEIR's format
 * @param {string} name
 * @param {readonly string[] | undefined} languages those to keep; all where absent
 */
export async function readCollections(dir, name, languages) {
  const passages = [];
  for await (const batch of readPassages(dir)) passages.push(...batch);
  const { queries } = await readJudged(dir);
  const tags = [...new Set(passages.map(({ lang }) => lang))];
  if (tags.length < 2) return [{ name, lang: tags[0] ?? "en", passages, queries }];
  return tags
    .filter((lang) => languages === undefined || languages.includes(lang ?? ""))
    .map((lang) => ({
      name: `${name} ${lang}`,
      lang,
      passages: passages.filter((passage) => passage.lang === lang),
      queries: queries.filter((query) => query.lang === lang),
    }));
}

/** Cranfield, and XQuAD in each language asked for, from the data beside the checkout. */
export async function publicCollections(languages) {
  if (!existsSync(DATA))
    throw new Error("The measurements read ../shared/data beside the checkout; it is not there.");
  return [
    ...(await readCollections(join(DATA, "ir_cranfield_en/beir"), "Cranfield", undefined)),
    ...(await readCollections(join(DATA, "ir_xquad_multi/beir"), "XQuAD", languages)),
  ];
}

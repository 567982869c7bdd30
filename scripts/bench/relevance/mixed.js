import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { built } from "../../built.js";
import { spread } from "../lake-questions.js";
import { distractors } from "./distractors.js";
import { NONSENSE } from "./nonsense.js";
import { readSquad } from "./squad.js";

const { evaluateMixed, readCollections } =
  /** @type {typeof import("../../../src/search/eval/evaluate-mixed.js")} */ (
    await built("search/eval/evaluate-mixed.js")
  );
const { detectLanguage } =
  /** @type {typeof import("../../../src/ingest/values/language/detect-language.js")} */ (
    await built("ingest/values/language/detect-language.js")
  );

const DATA = new URL("../../../../shared/data/", import.meta.url).pathname;
const MODES = /** @type {const} */ (["keyword", "semantic", "hybrid"]);
/** Least share of a collection's quality alone that it keeps in a mixed lake. */
const KEPT = 0.985;

/**
 * A further collection: a folder in BEIR's format, or a file in SQuAD's with its language before it.
 * @param {string} given
 */
async function readFurther(given) {
  const [, lang, file] = /^([a-z]{2,3})=(.+\.json)$/.exec(given) ?? [];
  if (lang === undefined || file === undefined) return readCollections(given, basename(given));
  return [await readSquad(file, `${basename(file, ".json")} ${lang}`, lang)];
}

/**
 * Cranfield, XQuAD in all its languages and further collections, or these alone, each with evenly spread queries.
 * @param {{ further: readonly string[], alone: boolean, queries: number }} options
 */
export async function readMixed({ further, alone, queries }) {
  if (!existsSync(DATA))
    throw new Error("The measurements read ../shared/data beside the checkout; it is not there.");
  const known = alone
    ? []
    : [
        readCollections(join(DATA, "ir_cranfield_en/beir"), "Cranfield"),
        readCollections(join(DATA, "ir_xquad_multi/beir"), "XQuAD"),
      ];
  const collections = (await Promise.all([...known, ...further.map(readFurther)])).flat();
  return collections.map((collection) => ({ ...collection, queries: spread(collection.queries, queries) }));
}

/**
 * Measures these collections in one lake with real texts that answer nothing.
 * @param {{ further: readonly string[], alone: boolean, queries: number, distractors: number, work: string | undefined }} options
 */
export async function measureMixed({ distractors: count, work, ...chosen }) {
  const collections = await readMixed(chosen);
  let shown = "";
  return evaluateMixed(collections, {
    detectLanguage,
    distractors: () => distractors(count),
    unanswerable: NONSENSE,
    ...(work === undefined ? {} : { workDir: work }),
    onProgress: ({ phase, done }) => {
      const text = phase === "queries" ? `queries: ${Math.floor(done / 1000)} thousand` : phase;
      if (text !== shown) process.stderr.write(`${text}\n`);
      shown = text;
    },
  });
}

/** The report as tables, and what is claimed of each collection. */
export function mixedTables({ collections, passages, distractors: others, answered }) {
  const of = (modes, mode) => modes.find((report) => report.mode === mode);
  const table = (key, label) => [
    `| ${label} alone → together | queries | ${MODES.join(" | ")} | hybrid: together / alone | hybrid ≥ keyword |`,
    `|---|---:|${MODES.map(() => "---:").join("|")}|---:|---|`,
    ...collections.map(({ name, queries, alone, together }) => {
      const cells = MODES.map(
        (mode) => `${of(alone, mode)[key].toFixed(4)} → ${of(together, mode)[key].toFixed(4)}`,
      );
      const kept = of(together, "hybrid")[key] / of(alone, "hybrid")[key];
      const atLeast = of(together, "hybrid")[key] >= of(together, "keyword")[key];
      return `| ${name} | ${queries} | ${cells.join(" | ")} | ${kept.toFixed(4)}${kept >= KEPT ? "" : " **below**"} | ${atLeast ? "yes" : "**no**"} |`;
    }),
  ];
  return [
    `${collections.length} collections in one lake of ${passages} passages, ${others} of them distractors.`,
    "",
    ...table("ndcg10", "nDCG@10"),
    "",
    ...table("recall100", "Recall@100"),
    "",
    `Nonsense: ${NONSENSE.length - answered.length} of ${NONSENSE.length} queries find nothing${answered.length === 0 ? "" : `; not ${answered.join(", ")}`}.`,
  ].join("\n");
}

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sampleParquet } from "./parquet.js";

/** Languages and passages taken from XQuAD: those that name no person. */
const XQUAD_LANGUAGES = ["zh", "en", "es", "ar"];
const XQUAD_GROUPS = new Set(
  `4_0 4_1 4_2 4_4 11_0 16_0 16_2 16_3 16_4 17_0 17_1 17_2 17_4 19_0 19_1 21_0 21_2 26_0 26_2 26_3 27_1 27_2 27_3
   29_0 29_3 29_4 39_0 39_1 39_2 39_3 39_4 40_0 40_3 47_2 47_4`.split(/\s+/),
);

/** Every how many products of the marketplace, and code documents, are taken. */
const PRODUCT_STEP = 12;
const DOCUMENT_STEP = 9;
const HOTEL_REVIEWS = 120;

/**
 * Copies the parts of real collections whose licence is clear and which name no person, in their own formats.
 *
 * @param data folder of the real collections
 * @param out folder of the fixtures
 * @param {string} data
 * @param {string} out
 * @returns {Promise<void>}
 */
export async function deriveFixtures(data, out) {
  /**
   * @param {string} from
   * @param {string} to
   */
  const copy = async (from, to) => {
    await mkdir(dirname(join(out, to)), { recursive: true });
    await copyFile(join(data, from), join(out, to));
  };
  await copy("emb_azure_products_en/records.parquet", "emb_azure_products_en/records.parquet");
  await sampleParquet(
    join(data, "emb_autodoc_solana_en/records.parquet"),
    join(out, "emb_autodoc_solana_en/records.parquet"),
    DOCUMENT_STEP,
  );
  await copy("ir_xquad_multi/CC-BY-SA4.0.txt", "ir_xquad_multi/LICENSE");
  await xquad(join(data, "ir_xquad_multi/beir"), join(out, "ir_xquad_multi/beir"));
  await copy("ecom_marketplace_reviews_id/LICENSE", "ecom_marketplace_reviews_id/LICENSE");
  await marketplace(
    join(data, "ecom_marketplace_reviews_id/PRDECT-ID Dataset.csv"),
    join(out, "ecom_marketplace_reviews_id/PRDECT-ID Dataset.csv"),
  );
  await copy("web_indonlu_id/LICENSE", "web_indonlu_id/LICENSE");
  await hotelReviews(
    join(data, "web_indonlu_id/hoasa_absa-airy/train_preprocess.csv"),
    join(out, "web_indonlu_id/hoasa_absa-airy/train_preprocess.csv"),
  );
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {Promise<void>}
 */
async function xquad(from, to) {
  /** @param {string} name */
  const lines = async (name) => (await readFile(join(from, name), "utf8")).trimEnd().split("\n");
  /** @param {string} line */
  const parsed = (line) => /** @type {{ _id: string; lang: string; group: string }} */ (JSON.parse(line));
  const corpus = (await lines("corpus.jsonl")).filter((line) => {
    const { lang, group } = parsed(line);
    return XQUAD_LANGUAGES.includes(lang) && XQUAD_GROUPS.has(group);
  });
  const passages = new Set(corpus.map((line) => parsed(line)._id));
  const [header, ...judgments] = await lines("qrels/test.tsv");
  // One question a passage is enough to try `eval` on.
  const taken = new Set();
  const qrels = judgments.filter((line) => {
    const passage = line.split("\t")[1];
    return passages.has(passage) && !taken.has(passage) && taken.add(passage);
  });
  const asked = new Set(qrels.map((line) => line.split("\t")[0]));
  const queries = (await lines("queries.jsonl")).filter((line) => asked.has(parsed(line)._id));
  await writeLines(join(to, "corpus.jsonl"), corpus);
  await writeLines(join(to, "queries.jsonl"), queries);
  await writeLines(join(to, "qrels/test.tsv"), [header, ...qrels]);
}

/**
 * All reviews of every 12th product, products in order of name. Needs no CSV parser: product names are quoted whole.
 * @param {string} from
 * @param {string} to
 * @returns {Promise<void>}
 */
async function marketplace(from, to) {
  const [header, ...records] = csvRecords(await readFile(from, "utf8"));
  /** @param {string} record */
  const nameOf = (record) => /^[^,"]*,("(?:[^"]|"")*"|[^,]*),/.exec(record)?.[1] ?? "";
  const names = [...new Set(records.map(nameOf))].sort();
  const taken = new Set(names.filter((_, at) => at % PRODUCT_STEP === 0));
  await writeLines(to, [header, ...records.filter((record) => taken.has(nameOf(record)))]);
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {Promise<void>}
 */
async function hotelReviews(from, to) {
  const [header, ...records] = csvRecords(await readFile(from, "utf8"));
  await writeLines(to, [header, ...records.slice(0, HOTEL_REVIEWS)]);
}

/**
 * Records of a CSV text, each with its quotes as they stand.
 * @param {string} text
 * @returns {string[]}
 */
function csvRecords(text) {
  /** @type {string[]} */
  const records = [];
  let open = "";
  for (const line of text.trimEnd().split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    if ((open.match(/"/g) ?? []).length % 2 === 0) {
      records.push(open);
      open = "";
    }
  }
  return records;
}

/**
 * @param {string} path
 * @param {readonly string[]} lines
 * @returns {Promise<void>}
 */
async function writeLines(path, lines) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${lines.join("\n")}\n`);
}

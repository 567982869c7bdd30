import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as lancedb from "@lancedb/lancedb";
import { create, insertMultiple, search } from "@orama/orama";
import Database from "better-sqlite3";
import MiniSearch from "minisearch";
import { built } from "../../built.js";

const { detectLanguage } =
  /** @type {typeof import("../../../src/ingest/values/language/detect-language.js")} */ (
    await built("ingest/values/language/detect-language.js")
  );
const { buildIndex } = /** @type {typeof import("../../../src/search/build-index.js")} */ (
  await built("search/build-index.js")
);
const { openIndex } = /** @type {typeof import("../../../src/search/open-index.js")} */ (
  await built("search/open-index.js")
);

const LIMIT = 100;
const UNSPACED = new Set(["zh", "ja", "th", "lo", "km", "my"]);
const NAMES = {
  ar: "Arabic",
  da: "Danish",
  de: "German",
  el: "Greek",
  en: "English",
  es: "Spanish",
  fi: "Finnish",
  fr: "French",
};
Object.assign(NAMES, {
  hi: "Indian",
  hu: "Hungarian",
  it: "Italian",
  nl: "Dutch",
  no: "Norwegian",
  pt: "Portuguese",
});
Object.assign(NAMES, { ro: "Romanian", ru: "Russian", sv: "Swedish", tr: "Turkish" });
/** Languages that LanceDB stems. */
const LANCE_STEMS = new Set("ar da nl en fi fr de el hu it no pt ro ru es sv tr".split(" "));

function fields({ title, text }) {
  return [title, text].filter(Boolean).join("\n");
}

/** Words as Unicode and ICU's dictionaries find them. */
function segmented(lang) {
  const segmenter = new Intl.Segmenter(lang, { granularity: "word" });
  return (text) => [...segmenter.segment(text)].filter((s) => s.isWordLike).map((s) => s.segment);
}

async function inFolder(use) {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-relevance-"));
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    return { ...(await use(dir)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Our index, built as a lake builds it; ranks in all three ways. */
function ours(mode) {
  return {
    name: `Mirrorlake ${mode}`,
    peer: undefined,
    open: ({ passages }) =>
      inFolder(async (dir) => {
        const ids = passages.map(({ _id }) => _id);
        await buildIndex(join(dir, "index"), async function* () {
          yield passages.map(({ _id, title, text, lang }) => ({
            id: _id,
            lang: lang ?? detectLanguage(`${title ?? ""}\n${text ?? ""}`),
            ...(title ? { title } : {}),
            ...(text ? { text } : {}),
          }));
        });
        const index = await openIndex(join(dir, "index"));
        const rows = Uint32Array.from(ids, (_, row) => row);
        const bits = new Uint32Array(Math.ceil(rows.length / 32)).fill(0xffff_ffff);
        const all = { size: rows.length, count: rows.length, has: () => true, rows: () => rows, bits };
        return {
          search: async (text) =>
            (await index.rank(text, all, { limit: LIMIT, mode })).rows.map((row) => ids[row]),
        };
      }),
  };
}

/** MiniSearch: as it comes, or with words cut by Intl.Segmenter. */
function minisearch(tuned) {
  return {
    name: tuned ? "MiniSearch + segmenter" : "MiniSearch",
    open: async ({ passages, lang }) => {
      const index = new MiniSearch({ fields: ["text"], ...(tuned ? { tokenize: segmented(lang) } : {}) });
      index.addAll(passages.map((passage) => ({ id: passage._id, text: fields(passage) })));
      return {
        search: async (text) =>
          index
            .search(text)
            .slice(0, LIMIT)
            .map(({ id }) => id),
        close: async () => {},
      };
    },
  };
}

/** Orama: as it comes (English), or with the language's own splitter and stemmer, or words cut by Intl.Segmenter. */
function orama(tuned) {
  return {
    name: tuned ? "Orama + language" : "Orama",
    open: async ({ passages, lang }) => {
      const cut = segmented(lang);
      const tokenizer = {
        language: "english",
        normalizationCache: new Map(),
        tokenize: (text) => cut(text.toLowerCase()),
      };
      const language = NAMES[lang]?.toLowerCase();
      const stems = tuned && !UNSPACED.has(lang) && language !== undefined;
      const components = stems
        ? {
            tokenizer: {
              language,
              stemming: true,
              stemmer: (await import(`@orama/stemmers/${language}`)).stemmer,
            },
          }
        : { tokenizer };
      const database = create({ schema: { id: "string", text: "string" }, ...(tuned ? { components } : {}) });
      await insertMultiple(
        database,
        passages.map((passage) => ({ id: passage._id, text: fields(passage) })),
      );
      return {
        search: async (text) =>
          (await search(database, { term: text, properties: ["text"], limit: LIMIT, threshold: 1 })).hits.map(
            ({ id }) => id,
          ),
        close: async () => {},
      };
    },
  };
}

/** LanceDB's full-text search: as it comes (English stems), with the language's stemmer or ICU words, or n-grams. */
function lance(kind) {
  const optionsFor = (lang) => {
    if (kind === "") return {};
    if (kind === "n-grams")
      return {
        baseTokenizer: "ngram",
        ngramMinLength: 2,
        ngramMaxLength: 3,
        stem: false,
        removeStopWords: false,
      };
    const stem = LANCE_STEMS.has(lang);
    return { baseTokenizer: "icu", stem, removeStopWords: false, ...(stem ? { language: NAMES[lang] } : {}) };
  };
  return {
    name: kind === "" ? "LanceDB FTS" : `LanceDB FTS + ${kind}`,
    open: ({ passages, lang }) =>
      inFolder(async (dir) => {
        const connection = await lancedb.connect(dir);
        const table = await connection.createTable(
          "passages",
          passages.map((passage) => ({ id: passage._id, text: fields(passage) })),
        );
        await table.createIndex("text", { config: lancedb.Index.fts(optionsFor(lang)) });
        return {
          search: async (text) =>
            (
              await table
                .query()
                .fullTextSearch(text, { columns: ["text"] })
                .select(["id"])
                .limit(LIMIT)
                .toArray()
            ).map(({ id }) => id),
        };
      }),
  };
}

/** SQLite FTS5 with bm25(): unicode61 as it comes, Porter stems, or trigrams. */
function sqlite(tokenizer) {
  const expression = (text) => {
    const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    if (tokenizer !== "trigram") return words.map((word) => `"${word}"`).join(" OR ");
    const grams = words.flatMap((word) => {
      const characters = [...word];
      return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(""));
    });
    return grams.map((gram) => `"${gram}"`).join(" OR ");
  };
  return {
    name: `SQLite FTS5 ${tokenizer}`,
    open: async ({ passages }) => {
      const database = new Database(":memory:");
      database.exec(`CREATE VIRTUAL TABLE words USING fts5(text, tokenize='${tokenizer}')`);
      const insert = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
      passages.forEach((passage, row) => {
        insert.run(row + 1, fields(passage));
      });
      const find = database
        .prepare("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?")
        .pluck();
      return {
        search: async (text) => {
          const match = expression(text);
          return match === "" ? [] : find.all(match, LIMIT).map((row) => passages[row - 1]._id);
        },
        close: async () => database.close(),
      };
    },
  };
}

/** Every engine and setting that is compared; `peer` names the product of those that are not ours. */
export const ENGINES = [
  ours("keyword"),
  ours("semantic"),
  ours("hybrid"),
  { ...minisearch(false), peer: "MiniSearch" },
  { ...minisearch(true), peer: "MiniSearch" },
  { ...orama(false), peer: "Orama" },
  { ...orama(true), peer: "Orama" },
  { ...lance(""), peer: "LanceDB" },
  { ...lance("language"), peer: "LanceDB" },
  { ...lance("n-grams"), peer: "LanceDB" },
  { ...sqlite("unicode61"), peer: "SQLite" },
  { ...sqlite("porter unicode61"), peer: "SQLite" },
  { ...sqlite("trigram"), peer: "SQLite" },
];

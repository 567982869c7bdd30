import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { queryTerms } from "../../src/search/analysis/query-terms.js";
import { acronymsOf, questionLanguages } from "../../src/search/analysis/question-words.js";
import { Stemmers } from "../../src/search/analysis/stemming.js";
import { buildIndex } from "../../src/search/build-index.js";
import { contentTerms, isQuestionTerm } from "../../src/search/keyword/ranking/question-terms.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import { openIndex } from "../../src/search/open-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

const stemmers = new Stemmers();
const ASKED = ["en", "de", "id", "it", "vi", "zh", "ja", "ru", "fa"];

beforeAll(() => stemmers.load(ASKED));

/** The first form of each term of a question word, with the languages in which it is one. */
function questionTerms(query: string): Record<string, readonly string[]> {
  const { terms } = queryTerms(query, ASKED, stemmers);
  return Object.fromEntries(
    terms
      .filter(({ questionIn }) => questionIn.length > 0)
      .map(({ surface, alternatives, questionIn }) => [surface || alternatives[0], questionIn]),
  );
}

describe("a word of a query is a question word", () => {
  test.each([
    ["What is lift?", { what: ["en"] }],
    ["Apakah ibu kota Peru?", { apakah: ["id", "ms"] }],
    ["когда построен мост", { когда: ["ru"] }],
    ["巴黎在什么国家", { 什么: ["zh"] }],
  ])("in its language: %s", (query, expected) => {
    expect(questionTerms(query)).toMatchObject(expected);
  });

  test("with or without its accents", () => {
    expect(questionLanguages("wofür")).toEqual(["de"]);
    expect(questionLanguages("wofur")).toEqual(["de"]);
    expect(questionLanguages("qué")).toContain("es");
    expect(questionLanguages("que")).toContain("es");
  });

  test("but not as another syllable, which it is without them", () => {
    expect(questionLanguages("đâu")).toEqual(["vi"]);
    expect(questionLanguages("dau")).toEqual([]);
  });

  test("by its letters, whatever a keyboard makes of them", () => {
    const [persian, arabic] = ["نام پایتخت چیست", "نام پايتخت چيست"].map(questionTerms);
    expect(Object.values(persian!)[0]).toEqual(["fa"]);
    expect(arabic).toEqual(persian);
  });

  test("with its first and last letters, and with what overlaps it between characters", () => {
    expect(Object.keys(questionTerms("bagaimanakah cuaca")).sort()).toEqual([
      "<baga",
      ">akah",
      "bagaimanakah",
    ]);
    expect(Object.keys(questionTerms("在什么国"))).toEqual(["在什", "什", "什么", "么", "么国"]);
  });

  test("not as a name in capitals", () => {
    expect([...acronymsOf("WHO guidelines for malaria")]).toEqual(["who"]);
    expect(questionTerms("WHO guidelines for malaria")).toEqual({});
    expect([...acronymsOf("WHO WROTE HAMLET")]).toEqual([]);
    expect(questionTerms("WHO WROTE HAMLET")).toHaveProperty("who");
  });
});

test("a word is a question word only where its query is likely in its language", () => {
  const [who, lift] = queryTerms("wer lift", ASKED, stemmers).terms.filter(({ kind }) => kind === "word");
  const german = new Map([["de", 1]]);
  const english = new Map([
    ["en", 1],
    ["de", 0.4],
  ]);
  expect(isQuestionTerm(who!, german)).toBe(true);
  expect(isQuestionTerm(who!, english)).toBe(false);
  expect(contentTerms([who!, lift!], german)).toEqual([lift]);
  expect(contentTerms([who!, lift!], english)).toEqual([who, lift]);
  expect(contentTerms([who!], german)).toEqual([who]);
});

const TEXTS = [
  ["en", "Wer once sold what he had; how and where is unknown, and who asked which and why is as well."],
  ["en", "Lift keeps an aircraft in the air."],
  ["en", "Drag holds an aircraft back, and thrust moves it forward."],
  ["en", "An airship floats, for it is light: nothing keeps it up but the air that it displaces."],
  ["de", "Wer rastet, der rostet: wann und wo, das weiß niemand, der weder fragt noch sucht."],
  ["de", "Der Auftrieb hält das Flugzeug in der Luft, und der Widerstand bremst es."],
  ["de", "Das Luftschiff schwebt, denn es ist leicht und hat ein großes Volumen."],
] as const;
const DOCUMENTS = TEXTS.map(([lang, text], i) => ({ id: `d${i}`, lang, text }));

describe("an index", () => {
  let dir: string;
  let disk: SearchIndex;
  let memory: SearchIndex;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-question-"));
    await buildIndex(join(dir, "index"), async function* () {
      yield DOCUMENTS;
    });
    disk = await openIndex(join(dir, "index"));
    memory = await buildMemoryIndex(DOCUMENTS);
  });

  afterAll(async () => {
    await disk.close();
    await memory.close();
    await rm(dir, { recursive: true, force: true });
  });

  const all = RowSet.all(DOCUMENTS.length);

  test.each(["keyword", "semantic", "hybrid"] as const)(
    "finds what is asked for rather than question words: %s",
    async (mode) => {
      for (const [query, wanted] of [
        ["where why thrust", "d2"],
        ["wann wo Auftrieb", "d5"],
      ] as const) {
        const { rows } = await disk.rank(query, all, { limit: 3, mode });
        expect(rows.map((row) => DOCUMENTS[row]!.id)[0]).toBe(wanted);
      }
    },
  );

  test("on disk and in memory alike", async () => {
    for (const query of ["what moves an airship forward", "wann schwebt ein Luftschiff", "what", "who why"])
      expect(await memory.rank(query, all, { limit: 7 })).toEqual(await disk.rank(query, all, { limit: 7 }));
  });

  test("leaves question words out of the vector of a query, but for one that has no others", async () => {
    const same = await disk.embedQuery("keeps an aircraft in the air");
    expect(await disk.embedQuery("what keeps an aircraft in the air")).toEqual(same);
    expect(await disk.embedQuery("who why")).toBeDefined();
  });
});

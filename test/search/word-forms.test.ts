import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WordForms } from "../../src/search/analysis/word-forms.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

const item = (lang: string) => (title: string, i: number) => ({
  ...{ platform: "forum", lang, id: `soc_frm_${lang}${i}`, title },
  prov: { ts: "2026-05-31T00:00:00Z" },
});
/** Titles in a language, the seventh of which is another. */
const titles = (lang: string, usual: string, seventh = usual) =>
  Array.from({ length: 200 }, (_, i) => (i === 7 ? seventh : usual)).map(item(lang));

let lake: TestLake;
beforeAll(async () => {
  lake = await createTestLake({
    records: [
      ...titles("en", "Dealers determined it"),
      ...titles(
        "ro",
        "Casa de la munte are o grădină",
        "O lume deterministă nu are grădină, dar are o casă la munte",
      ),
    ],
  });
});
afterAll(() => lake?.close());

describe("a word in a lake of several languages", () => {
  it("is found before words of another language that end as its stem does", async () => {
    const { data } = await lake.search({ query: "deterministă", freshness: "90d", limit: 5 });
    expect(data[0]?.id).toBe("soc_frm_ro7");
  });
});

describe("a word that ends in another language as a frequent word does", () => {
  let mixed: TestLake;
  beforeAll(async () => {
    mixed = await createTestLake({
      records: [
        // Turkish takes -me off "theme".
        ...titles("tr", "The Ankara treni sabah hareket ediyor"),
        ...titles(
          "en",
          "The dealers of the town say what the council of the town says of the road",
          "This is a long title which says at last what was said before of his theme and of other things",
        ),
      ],
    });
  });
  afterAll(() => mixed?.close());

  it.each(["theme", '"his theme"', "His Theme"])("is not that word in other languages: %s", async (query) => {
    const answer = await mixed.search({ query, freshness: "90d", limit: 20 });
    const english = answer.data.filter(({ lang }) => lang === "en").map(({ id }) => id);
    expect(english).toEqual(["soc_frm_en7"]);
    expect(answer.ranks?.[answer.data.findIndex(({ id }) => id === "soc_frm_en7")]?.keyword?.rank).toBe(1);
  });

  it("has the vector of what it is in the languages of the query", async () => {
    const query = "other things before his theme";
    const { data, ranks } = await mixed.search({ query, freshness: "90d", limit: 20 });
    expect(data[0]?.id).toBe("soc_frm_en7");
    expect(ranks?.[0]?.semantic?.score).toBeGreaterThan(0.5);
  });
});

describe("a word in its dictionary form", () => {
  const TITLES: readonly (readonly [lang: string, query: string, title: string])[] = [
    ["pl", "koszulka", "Bawełniane koszulki dla dzieci"],
    ["cs", "kniha", "Dvě staré knihy o Praze"],
    ["uk", "книга", "Дві старі книги про Київ"],
    ["he", "ספר", "הספרים של הילדים בבית"],
    ["sr", "knjiga", "Две старе књиге о Београду"],
    ["bg", "телефон", "Новите телефони са скъпи"],
    ["lt", "telefonas", "Naujų telefonų kainos"],
    ["ka", "ქალაქი", "ამ ქალაქში ბევრი ხალხია"],
    ["kk", "кітап", "Балаларға арналған кітаптар"],
    ["mn", "хот", "Манай хотын гудамжууд"],
  ];
  let shelf: TestLake;
  beforeAll(async () => {
    shelf = await createTestLake({
      records: [
        ...titles("en", "The dealers of the town say what the council says"),
        ...TITLES.map(([lang, , title]) => item(lang)(title, 0)),
      ],
    });
  });
  afterAll(() => shelf?.close());

  it.each(TITLES)("finds it in another, in %s: %s", async (lang, query) => {
    const { data } = await shelf.search({ query, freshness: "90d", limit: 5 });
    expect(data[0]?.id).toBe(`soc_frm_${lang}0`);
  });
});

describe("forms of a word", () => {
  it("belong to the languages of their stemmers; languages without one have the word as it is", () => {
    const forms = new WordForms("latin", []);
    forms.add("fur", "en");
    forms.add("furs", "de");
    forms.add("furs", "none");
    expect(forms.texts()).toEqual(["fur", "furs"]);
    expect(forms.stemmers).toBe(3);
    const languages = (text: string) =>
      ["en", "en-GB", "de", "vi", "ms", "zh"].filter((l) => forms.isIn(text, l));
    expect(languages("fur")).toEqual(["en", "en-GB", "zh"]);
    expect(languages("furs")).toEqual(["de", "vi", "ms"]);
    expect(languages("other")).toEqual([]);
  });

  it("are spoken in some of an index's languages, or in all", () => {
    const forms = new WordForms("latin", ["en", "de", "zh"]);
    forms.add("fur", "en");
    forms.add("furs", "de");
    forms.add("theme", "en");
    forms.add("theme", "de");
    expect(forms.spokenIn("fur")).toEqual(new Set(["en", "zh"]));
    expect(forms.spokenIn("furs")).toEqual(new Set(["de"]));
    expect(forms.spokenIn("theme")).toBeUndefined();
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import { openIndex } from "../../src/search/open-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

const documents: IndexDocument[] = [
  { id: "soc_mbl_emoji", lang: "en", text: "Best day ever 🎉🎂 with friends" },
  { id: "soc_mbl_tag", lang: "en", text: "Big discounts today #BlackFriday #sale_2026" },
  { id: "soc_mbl_handle", lang: "en", text: "Thanks @john_doe for the tip" },
  {
    id: "web_gnw_url",
    lang: "en",
    title: "Release notes",
    text: "See https://docs.example.com/api/v2?lang=en",
  },
  { id: "eco_gmk_code", lang: "en", title: "Samsung Galaxy SM-G991B 128GB" },
  { id: "eco_gmk_other", lang: "en", title: "Samsung Galaxy SM-A515F 128GB" },
  { id: "web_gnw_ar", lang: "ar", text: "أعلنت الحكومة عن بناء المدارس الجديدة في المدينة" },
  { id: "soc_mbl_th", lang: "th", text: "ฉันชอบกินข้าวผัดกับเพื่อนที่ร้านอาหารไทย" },
  { id: "web_gnw_quote", lang: "en", text: "The wireless mouse is silent" },
  { id: "web_gnw_apart", lang: "en", text: "A mouse that is wireless, and a wireless keyboard" },
  {
    id: "web_gnw_entity",
    lang: "en",
    title: "Shares rise",
    entities: ["European Central Bank", "Christine Lagarde"],
  },
  {
    id: "web_gnw_bank",
    lang: "en",
    title: "The bank of the river",
    text: "Central to the European walking tour",
  },
  {
    id: "soc_sht_thread",
    lang: "en",
    text: "unboxing",
    comment_thread: ["does it support bluetooth?", "yes"],
  },
  {
    id: "eco_sea_review",
    lang: "id",
    title: "Kipas angin",
    review_sample: ["suaranya halus sekali", "pengiriman cepat"],
  },
  { id: "soc_mbl_zh", lang: "zh", text: "这款手机的电池续航很强" },
  { id: "soc_mbl_ja_walk", lang: "ja", text: "散歩 し ま せ ん か 。" },
  { id: "soc_mbl_ja_walk_2", lang: "ja", text: "散歩 で も し ま せ ん か 。" },
  {
    id: "soc_mbl_ja_dog",
    lang: "ja",
    text: "毎朝 犬 の 運動 に 公園 を 散歩 する 。",
  },
  { id: "web_gnw_wide", lang: "en", text: "ＦＵＬＬ ＷＩＤＴＨ café naïve" },
];

let folder: string;
let index: SearchIndex;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-words-"));
  await buildIndex(join(folder, "index"), async function* () {
    yield documents;
  });
  index = await openIndex(join(folder, "index"));
});
afterAll(async () => {
  await index.close();
  await rm(folder, { recursive: true });
});

const all = RowSet.all(documents.length);
const find = async (query: string, limit = 1) =>
  (await index.rank(query, all, { limit, mode: "keyword" })).rows.map((row) => documents[row]!.id);

describe("keyword search", () => {
  it.each([
    ["an emoji", "🎂", "soc_mbl_emoji"],
    ["an emoji in another skin", "🎉🏽", "soc_mbl_emoji"],
    ["a hashtag", "#BlackFriday", "soc_mbl_tag"],
    ["a hashtag in lower case", "#blackfriday", "soc_mbl_tag"],
    ["a hashtag's words", "black friday", "soc_mbl_tag"],
    ["a hashtag with a number", "#sale_2026", "soc_mbl_tag"],
    ["a handle", "@john_doe", "soc_mbl_handle"],
    ["a handle without its sign", "john_doe", "soc_mbl_handle"],
    ["a host", "docs.example.com", "web_gnw_url"],
    ["an address", "https://docs.example.com/api/v2", "web_gnw_url"],
    ["a product code", "SM-G991B", "eco_gmk_code"],
    ["a product code without its hyphen", "smg991b", "eco_gmk_code"],
    ["a part of a product code", "g991b", "eco_gmk_code"],
    ["another code of the same maker", "samsung SM A515F", "eco_gmk_other"],
    ["Arabic with points", "المَدارِس", "web_gnw_ar"],
    ["Arabic without hamza", "اعلنت", "web_gnw_ar"],
    ["Arabic with a conjunction and in the singular", "والمدرسة", "web_gnw_ar"],
    ["Arabic with tatweel", "الحكـــومة", "web_gnw_ar"],
    ["a Thai word inside a sentence", "ข้าวผัด", "soc_mbl_th"],
    ["another Thai word", "ร้านอาหาร", "soc_mbl_th"],
    ["a Chinese word", "电池", "soc_mbl_zh"],
    ["a word of one character beside another word", "犬 散歩", "soc_mbl_ja_dog"],
    ["full-width letters, typed narrow", "full width", "web_gnw_wide"],
    ["accents left out", "cafe naive", "web_gnw_wide"],
    ["an entity's name", "european central bank", "web_gnw_entity"],
    ["a part of an entity's name", "Lagarde", "web_gnw_entity"],
    ["a comment", "bluetooth support", "soc_sht_thread"],
    ["a review", "suara halus", "eco_sea_review"],
  ])("finds %s: %s", async (_, query, id) => {
    expect(await find(query)).toEqual([id]);
  });

  it("finds only what holds a quoted phrase", async () => {
    expect(await find('"wireless mouse"', 10)).toEqual(["web_gnw_quote"]);
    expect((await find("wireless mouse", 10)).sort()).toEqual(["web_gnw_apart", "web_gnw_quote"]);
    expect(await find("“central bank”", 10)).toEqual(["web_gnw_entity"]);
    expect(await find("「电池续航」", 10)).toEqual(["soc_mbl_zh"]);
    expect(await find('"ร้านอาหารไทย"', 10)).toEqual(["soc_mbl_th"]);
    expect(await find('"does it support" "bluetooth"', 10)).toEqual(["soc_sht_thread"]);
  });

  it("spans no phrase over two fields, comments or entities", async () => {
    for (const query of ['"bluetooth yes"', '"bank christine"', '"sekali pengiriman"']) {
      const { note } = await index.rank(query, all, { limit: 5, mode: "keyword" });
      expect(note).toContain("quoted");
    }
  });

  it("looks for the words of a phrase that no record holds, and says so", async () => {
    const ranking = await index.rank('"silent wireless keyboard"', all, { limit: 3 });
    expect(ranking.note).toBe("no record holds what was quoted: its words were looked for");
    expect(documents[ranking.rows[0]!]!.id).toMatch(/quote|apart/);
    expect((await index.rank('"wireless mouse"', all, { limit: 3 })).note).toBeUndefined();
  });

  it("keeps phrases to the candidates", async () => {
    const others = RowSet.fromPredicate(documents.length, (row) => documents[row]!.id !== "web_gnw_quote");
    const { rows, note } = await index.rank('"wireless mouse"', others, { limit: 5, mode: "keyword" });
    expect(rows.map((row) => documents[row]!.id)).toEqual(["web_gnw_apart"]);
    expect(note).toContain("quoted");
  });
});

describe("search for Korean words", () => {
  const texts = [
    "낡은 은책 무겁다",
    "낡은 책은 무겁다",
    "나무 사과 열매",
    "사과 나무 열매",
    "3월 날씨 2일",
    "2월 날씨 3일",
  ];
  const korean = texts.map((text, i) => ({ id: `web_gnw_${i}`, lang: "ko", text }));
  let memory: SearchIndex;
  beforeAll(async () => {
    memory = await buildMemoryIndex(korean);
  });
  afterAll(() => memory.close());
  const first = async (query: string) => {
    const { rows } = await memory.rank(query, RowSet.all(texts.length), { limit: 5, mode: "keyword" });
    return rows.map((row) => texts[row]!);
  };

  it("ranks by first syllables, which particles follow", async () => {
    expect(await first("낡은 책을")).toEqual(["낡은 책은 무겁다", "낡은 은책 무겁다"]);
  });

  it("ranks by what stands before a word", async () => {
    expect(await first("사과 나무")).toEqual(["사과 나무 열매", "나무 사과 열매"]);
    expect(await first("나무 사과")).toEqual(["나무 사과 열매", "사과 나무 열매"]);
    expect(await first("2월 3일 날씨")).toEqual(["2월 날씨 3일", "3월 날씨 2일"]);
    expect(await first("3월 2일 날씨")).toEqual(["3월 날씨 2일", "2월 날씨 3일"]);
  });

  it("finds nothing by either alone", async () => {
    expect(await first("책상")).toEqual([]);
    expect(await first("옷은 무료")).toEqual([]);
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawItem } from "../../src/contract/slice/slice-item.js";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import type { RawQuery } from "../../src/store/corpus.js";
import { RawLists } from "../../src/store/memory/raw-lists.js";
import { foldedSql, foldText } from "../../src/store/raw-words.js";
import { runs } from "../support/campaign.js";
import { batches, INFO, makeComment } from "./items.js";

const PARTS = [
  "Café",
  "Cafe\u0301",
  "İstanbul",
  "I\u0307zmir",
  "Iris",
  "ırmak",
  "STRASSE",
  "Straße",
  "ΟΔΟΣ",
  "οδος",
  "ΟΔΟΣΤΑ",
];
const MORE = [
  "J\u030C",
  "ǰ",
  "\u212Bngström",
  "ångström",
  "가",
  "\u1100\u1161",
  "a\u0323\u0307",
  "a\u0307\u0323",
  "क\u093C",
  "Ώ",
  "DŽ",
  "\u0000",
  "%_",
  " ",
];
const aText = fc
  .array(fc.constantFrom(...PARTS, ...MORE), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
const TEXTS = [...PARTS, ...fc.sample(aText, { numRuns: 120, seed: 7 })];
const ITEMS: readonly RawItem[] = TEXTS.map((text, n) => ({ ...makeComment(n), data: { text } }));

/** Normal form C, in lower case letter by letter. */
const plain = (text: string) =>
  Array.from(text.normalize("NFC"), (letter) => (letter === "ς" ? "σ" : letter.toLowerCase()))
    .join("")
    .replaceAll("\0", "\uFFFD")
    .normalize("NFC");

let dir: string;
let lake: Lake;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-words-"));
  const out = join(dir, "slices");
  await writeSlices(batches(ITEMS.map((raw) => ({ kind: "raw" as const, raw }))), { out, info: INFO });
  await installSlices([out], { lake: join(dir, "lake") });
  lake = await Lake.open(join(dir, "lake"));
});
afterAll(async () => {
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

const asked = (text: string): RawQuery => ({
  platform: ITEMS[0]!.platform,
  text,
  orderBy: "id",
  offset: 0,
  limit: ITEMS.length,
});

describe("what contains a text", () => {
  it("is the same on disk and in memory: what does in any case, and in any form of its letters", async () => {
    const memory = new RawLists(ITEMS);
    const aForm = fc.constantFrom<"NFC" | "NFD">("NFC", "NFD");
    await fc.assert(
      fc.asyncProperty(aText, aForm, fc.boolean(), async (text, form, upper) => {
        const found = (upper ? text.toLocaleUpperCase("en") : text).normalize(form);
        const wanted = TEXTS.flatMap((of, n) =>
          plain(of).includes(plain(found)) ? [ITEMS[n]!.id] : [],
        ).sort();
        expect((await lake.corpus.rawPage(asked(found))).items.map(({ id }) => id)).toEqual(wanted);
        expect(memory.page(asked(found)).items.map(({ id }) => id)).toEqual(wanted);
      }),
      runs(60),
    );
  });

  it("heeds that İ is no I, and that it makes no difference where a Σ stands", async () => {
    const count = async (text: string) =>
      new Set(
        (await lake.corpus.rawPage(asked(text))).items
          .slice()
          .filter(({ data }) => PARTS.includes(data.text as string))
          .map(({ data }) => data.text),
      ).size;
    expect(await count("Café")).toBe(2);
    expect(await count("cafe\u0301")).toBe(2);
    expect(await count("İ")).toBe(2);
    expect(await count("ΟΔΟΣ")).toBe(3);
    expect(await count("straße")).toBe(1);
  });

  it("is folded in DuckDB as here, every letter", { tags: "slow" }, async () => {
    const db = await Database.open(":memory:");
    const rows = await db.rows<{ code: number; folded: string }>(
      `SELECT code, ${foldedSql("chr(code)")} AS folded FROM (SELECT range::INTEGER AS code FROM range(1, 1114112))
        WHERE code NOT BETWEEN 55296 AND 57343 AND code <> 65279`,
    );
    await db.close();
    const differing = rows.filter(({ code, folded }) => folded !== foldText(String.fromCodePoint(code)));
    expect(differing).toEqual([]);
    for (const { code } of rows.slice(0, 0x20000)) {
      const letter = String.fromCodePoint(code);
      if (foldText(letter.normalize("NFD")) !== foldText(letter)) expect.fail(letter);
    }
  });
});

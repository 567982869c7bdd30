import { beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

const ENGLISH = Array.from(
  { length: 60 },
  (_, i) => `The limit of ${i} is the hotel fee for the japon ete asa series ${i * 7}`,
);
const INDONESIAN = Array.from({ length: 40 }, (_, i) => `dia di rumah dan que con dai nomor ${i}`);
const OTHERS = [
  ["es", "El límite de Japón es la frontera"],
  ["fr", "Un été à l'hôtel de la plage"],
  ["sv", "Åsa bor i staden"],
  ["vi", "cái đĩa ở quê còn mới"],
] as const;

describe("a word with letters that not all languages write", () => {
  let index: SearchIndex;
  const first = ENGLISH.length + INDONESIAN.length;
  const total = first + OTHERS.length;
  beforeAll(async () => {
    const texts = [
      ...ENGLISH.map((text) => ["en", text] as const),
      ...INDONESIAN.map((text) => ["id", text] as const),
      ...OTHERS,
    ];
    index = await buildMemoryIndex(texts.map(([lang, text], i) => ({ id: `web_gnw_${i}`, lang, text })));
  });

  it.each([
    ["límite", 0],
    ["LÍMITE".normalize("NFD"), 0],
    ["Japón", 0],
    ["été", 1],
    ["hôtel", 1],
    ["Åsa", 2],
    ["đĩa", 3],
    ["quê", 3],
    ["còn", 3],
  ])("finds the text in its language first: %s", async (query, of) => {
    for (const mode of ["keyword", "hybrid"] as const) {
      const { rows } = await index.rank(query, RowSet.all(total), { limit: 1, mode });
      expect([mode, rows]).toEqual([mode, [first + of]]);
    }
  });
});

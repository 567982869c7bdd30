import { describe, expect, test } from "vitest";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { Mapping } from "../../src/ingest/mapping/form/schema.js";
import { parseTakedownList } from "../../src/store/removals/takedown-list.js";
import { type Block, blocksOf, placeOf, writtenDocuments } from "./markdown.js";

/** Languages of blocks, and the marks that each may have. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  /**
   * Type-checked and executed; `no-run`: type-checked; `lake-copy`: executed where `./lake` is a lake; `bundler`: a bundler's
   * configuration, which `npm run task bundlers` runs the like of.
   */
  ts: ["no-run", "lake-copy", "bundler"],
  /** Parsed and run; `no-run`: parsed. */
  sh: ["no-run", "lake-copy"],
  /** Executed on the demo's lake. */
  sql: [],
  /** Parsed; `mapping` and `catalogue`: by their schemas. */
  json: ["mapping", "catalogue"],
  /** What `json mapping` reads. */
  csv: [],
  /** No code; `takedown`: a takedown list; `help`: a command's help. */
  text: ["takedown", "help"],
};

const blocks = writtenDocuments().flatMap(blocksOf);
const named = (language: string, mark?: string): [string, Block][] =>
  blocks
    .filter((block) => block.language === language && (mark === undefined || block.marks.includes(mark)))
    .map((block) => [placeOf(block), block]);

describe("code blocks", () => {
  test.each(blocks.map((block): [string, Block] => [placeOf(block), block]))(
    "%s says what it is",
    (_, { language, marks }) => {
      expect(Object.keys(MARKS)).toContain(language);
      expect(marks.filter((mark) => !MARKS[language]!.includes(mark))).toEqual([]);
    },
  );

  test.each(named("json"))("%s is JSON", (_, { code }) => {
    expect(() => JSON.parse(code)).not.toThrow();
  });

  test.each(named("json", "mapping"))("%s is a mapping", (_, { code }) => {
    expect(Mapping.safeParse(JSON.parse(code)).error).toBeUndefined();
  });

  test.each(named("json", "catalogue"))("%s is a catalogue file", (_, { code }) => {
    expect(loadCatalogue([JSON.parse(code)]).length).toBeGreaterThan(0);
  });

  test.each(named("text", "takedown"))("%s is a takedown list", (place, { code }) => {
    expect(parseTakedownList(code, place).length).toBeGreaterThan(0);
  });
});

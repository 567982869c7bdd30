import { beforeAll, expect, test } from "vitest";
import { type Block, blocksOf, placeOf, writtenDocuments } from "./markdown.js";
import { typeErrors } from "./typescript.js";

const blocks = writtenDocuments()
  .flatMap(blocksOf)
  .filter(({ language, marks }) => language === "ts" && !marks.includes("bundler"));
const wrong: Block = {
  path: "wrong.md",
  line: 1,
  language: "ts",
  marks: [],
  code: 'import { openLake } from "mirrorlake";\nawait openLake(42);',
};

let errors: ReadonlyMap<string, readonly string[]>;
beforeAll(() => {
  errors = typeErrors([...blocks, wrong]);
});

test.each(blocks.map(placeOf))("%s has the types of the package", (place) => {
  expect(errors.get(place)).toEqual([]);
});

test("a wrong argument would be found", () => {
  expect(errors.get(placeOf(wrong))).toEqual([expect.stringContaining("number")]);
});

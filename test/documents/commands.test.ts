import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withCommandReference } from "../../scripts/docs/command-reference.js";
import { createProgram } from "../../src/cli/program.js";
import { blocksOf, placeOf, ROOT, readDocument, writtenDocuments } from "./markdown.js";
import { commandsOf, mirrorlakeArguments, parseCommandLine } from "./shell.js";

const blocks = writtenDocuments().flatMap(blocksOf);
const inBlocks = blocks
  .filter(({ language }) => language === "sh")
  .flatMap((block) => commandsOf(block.code).map((words) => ({ place: placeOf(block), words })));
const inHelp = blocks
  .filter(({ marks }) => marks.includes("help"))
  .flatMap((block) =>
    [...block.code.matchAll(/^ {2}\$ (mirrorlake .*)$/gm)].flatMap(([, line]) =>
      commandsOf(line!).map((words) => ({ place: placeOf(block), words })),
    ),
  );
const commands = [...inBlocks, ...inHelp].map(({ place, words }) => ({
  place,
  words,
  line: words.join(" "),
  args: mirrorlakeArguments(words),
}));

describe("commands in documents", () => {
  test.each(commands.filter(({ args }) => args !== undefined))("$place: $line is one", async ({ args }) => {
    await parseCommandLine(args!);
  });

  test("npm runs only scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const run = commands
      .filter(({ words }) => words[0] === "npm" && (words[1] === "run" || words[1] === "test"))
      .map(({ words }) => (words[1] === "test" ? "test" : words[2]!));
    expect(run.length).toBeGreaterThan(0);
    expect(run.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("every example of a help was found", () => {
    expect(inHelp.length).toBeGreaterThan(50);
  });
});

test("docs/command-line.md has the help of every command: npm run docs", async () => {
  const { text } = readDocument("docs/command-line.md");
  expect(await withCommandReference(text, createProgram)).toBe(text);
});

test("docs/command-line.md has every command in the table of tasks", () => {
  const [table, reference] = readDocument("docs/command-line.md").text.split("<!-- reference:begin") as [
    string,
    string,
  ];
  const names = new Set([...reference.matchAll(/^## mirrorlake ([a-z]+)/gm)].map((match) => match[1]!));
  expect([...names].filter((name) => !table.includes(`[\`${name}\`]`))).toEqual([]);
});

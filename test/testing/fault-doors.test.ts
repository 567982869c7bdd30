import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { FaultRule } from "../../src/faults/fault-plan.js";

const root = new URL("../../", import.meta.url);
/** By door, fault and client: what the example project met on the packed package, which its runs compare. */
type Met = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
const DOORS: Readonly<Record<string, readonly string[]>> = {
  "`serve`": ["serve"],
  "`lake.fetch`": ["lake.fetch"],
  "msw 2 and 3": ["msw2", "msw3"],
  undici: ["undici"],
};
const CLIENTS = ["connect", "fetch", "axios"];

test("the table of doors and faults says what the example project meets, of every fault", async () => {
  const met = JSON.parse(
    await readFile(new URL("fixtures/examples/testing/expected.json", root), "utf8"),
  ) as Met;
  const guide = await readFile(new URL("docs/guide/testing.md", root), "utf8");
  const [head, , ...rows] = tableAfter(guide, "| fault | a program meets |");
  expect(head!.slice(2)).toEqual(Object.keys(DOORS));
  expect(rows.map(([fault]) => fault!.replaceAll("`", "")).sort()).toEqual(
    FaultRule.options.map(({ shape }) => shape.fault.value).sort(),
  );
  for (const [fault, meets, ...cells] of rows) {
    expect(cells).toHaveLength(head!.length - 2);
    for (const door of Object.values(DOORS).flat()) {
      const faults = met[`faults through ${door}`]!;
      const titles = Object.keys(faults).filter(
        (title) => title.split(" ")[0] === fault!.replaceAll("`", ""),
      );
      expect(titles.length, `${fault} through ${door}`).toBeGreaterThan(0);
      for (const title of titles) {
        const outcomes = faults[title]!;
        expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(CLIENTS));
        const [, status] = title.split(" ");
        for (const outcome of Object.values(outcomes)) {
          const told = status === undefined ? /`([^`]+)`/.exec(meets!)![1] : status;
          expect(status === undefined ? outcome : outcome.split(" ")[0], `${title} through ${door}`).toBe(
            told,
          );
        }
      }
    }
  }
});

function tableAfter(text: string, start: string): string[][] {
  const from = text.indexOf(start);
  const table = text.slice(from, text.indexOf("\n\n", from));
  return table.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

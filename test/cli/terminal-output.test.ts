import { expect, test } from "vitest";
import { createOutput } from "../../src/cli/format/terminal-output.js";

const shown = (isTTY: boolean, env: Record<string, string>) =>
  createOutput({ write: () => true, isTTY }, env).color;

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "true", NO_COLOR: "1", TERM: "dumb" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "false" }, false],
  [false, { FORCE_COLOR: "" }, false],
])("terminal %s with %j: colours %s", (isTTY, env, colours) => {
  expect(shown(isTTY, env as Record<string, string>)).toBe(colours);
});

test("a stream without a width has the default", () => {
  expect(createOutput({ write: () => true }, {}).columns).toBe(100);
  expect(createOutput({ write: () => true, columns: 72 }, {}).columns).toBe(72);
});

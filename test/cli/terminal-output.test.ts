import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { OutputClosed } from "../../src/cli/context.js";
import { createOutput, type TerminalStream } from "../../src/cli/format/terminal-output.js";

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

test("an output that lost its reader drops text, and says so to who waits for it", async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const output = createOutput(stream as unknown as TerminalStream, {});
  output.write("some");
  const waiting = output.drained!(new AbortController().signal);
  stream.on("error", () => output.close());
  stream.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await expect(waiting).rejects.toBeInstanceOf(OutputClosed);
  output.write("more");
  await expect(output.drained!(new AbortController().signal)).rejects.toBeInstanceOf(OutputClosed);
  expect(stream.read()?.toString()).not.toContain("more");
});

test("a stream without a width has the default", () => {
  expect(createOutput({ write: () => true }, {}).columns).toBe(100);
  expect(createOutput({ write: () => true, columns: 72 }, {}).columns).toBe(72);
});

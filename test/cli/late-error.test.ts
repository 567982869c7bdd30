import { afterAll, beforeAll, expect, test } from "vitest";
import { Interruption } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";

let before: SmallSet;
let after: SmallSet;
beforeAll(async () => {
  before = await smallSet(0, 10);
  after = await smallSet(100, 110);
});
afterAll(async () => {
  await before?.remove();
  await after?.remove();
});

test.each([
  ["Ctrl-C", 130, "interrupted"],
  ["an error", 1, "internal"],
])("diff --json that ends late by %s prints one value", async (by, code, name) => {
  const stop = new AbortController();
  let said = "";
  const stream = { isTty: false, columns: 100, color: false };
  const out = {
    ...stream,
    write: (text: string) => {
      said += text;
    },
    drained: async () => {
      if (said === "") return;
      if (by === "Ctrl-C") stop.abort(new Interruption("SIGINT"));
      throw new Error("the engine ended");
    },
  };
  const ended = await runCli(["diff", before.slices, after.slices, "--json"], {
    out,
    err: { ...stream, write: () => {} },
    env: {},
    cwd: before.dir,
    signal: stop.signal,
  });
  expect(ended).toBe(code);
  const value = JSON.parse(said) as { differences: unknown[]; error: { code: string } };
  expect(Object.keys(value)).toEqual(["differences", "error"]);
  expect(value.differences).toHaveLength(20);
  expect(value.error.code).toBe(name);
});

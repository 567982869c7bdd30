import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect } from "vitest";
import { count } from "./count.js";
import { openFiles, within } from "./open-files.js";

// Statements of libsql hold their file until the collector takes them: what it lets go of has not leaked.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const TEMPORARY = `${within(tmpdir())}mirrorlake-`;
/** Longest time for what a test file has closed to be let go of, ms. */
const PATIENCE_MS = 5000;

const before = new Map<string, number>();
for (const path of openFiles(TEMPORARY)) before.set(path, (before.get(path) ?? 0) + 1);

// A test file that leaves files of its temporary folder open has leaked them. In campaigns on Linux only.
afterAll(async () => {
  const left = () => {
    const known = new Map(before);
    return openFiles(TEMPORARY).filter((path) => {
      const own = known.get(path) ?? 0;
      known.set(path, own - 1);
      return own <= 0;
    });
  };
  for (let waited = 0; left().length > 0 && waited < PATIENCE_MS; waited += 100) {
    collect();
    await sleep(100);
  }
  const leaked = left();
  count("descriptors", leaked.length);
  expect(leaked).toEqual([]);
});

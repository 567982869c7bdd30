import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect } from "vitest";
import { count } from "./count.js";

// Statements of libsql hold their file until the collector takes them: what it lets go of has not leaked.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const TEMPORARY = realpathSync(tmpdir());
/** Longest time for what a test file has closed to be let go of, ms. */
const PATIENCE_MS = 5000;

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(`${TEMPORARY}/mirrorlake-`) ? [path] : [];
    } catch {
      return []; // the descriptor of the listing itself
    }
  });
}

const before = new Map<string, number>();
for (const path of openFiles()) before.set(path, (before.get(path) ?? 0) + 1);

// A test file that leaves files of its temporary folder open has leaked them. In campaigns on Linux only.
afterAll(async () => {
  const left = () => {
    const known = new Map(before);
    return openFiles().filter((path) => {
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

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLake } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("./unclosed-child.js", import.meta.url));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-unclosed-"));
  const row = { platform: "forum", lang: "en", text: "coffee" };
  await createLake(join(dir, "lake"), [row], { capturedAt: "2026-01-01T00:00:00Z" });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("lakes that a program forgets to close leave no file for the garbage collector, which ends Node.js 26", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    CHILD,
    join(dir, "lake"),
  ]);
  expect([stdout, stderr]).toEqual(["alive\n", ""]);
});

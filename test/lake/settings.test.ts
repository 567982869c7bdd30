import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrCreate } from "../../src/lake/settings.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-settings-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("many may make the same lake at once", async () => {
  for (let round = 0; round < 20; round += 1) {
    const lake = join(dir, String(round));
    const opened = await Promise.all(Array.from({ length: 12 }, () => openOrCreate(lake)));
    expect(opened.some(({ created }) => created)).toBe(true);
    for (const { settings } of opened) expect(settings).toEqual({ formatVersion: 1 });
    expect(await readdir(lake)).toEqual(["mirrorlake.json"]);
  }
});

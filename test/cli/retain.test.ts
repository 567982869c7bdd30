import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "./capture.js";

const DAYS = 23;
let cwd: string;

/** A slice of one record for each of some days in May, the last of which has one of the day before, too. */
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mirrorlake-retain-cli-"));
  const record = (day: number): SliceItem => ({
    kind: "record",
    record: {
      id: `web_gnw_${day}`,
      src: "web",
      platform: "global-news",
      lang: "en",
      title: `headline ${day}`,
      prov: { ts: `2026-05-${String(day).padStart(2, "0")}T00:00:00Z` },
    },
  });
  const days = Array.from({ length: DAYS }, (_, i) => (i === DAYS - 1 ? [i + 1, i + 2] : [i + 1]));
  for (const each of days) {
    const items = async function* () {
      yield each.map(record);
    };
    const info = { title: "News", licence: "MIT", platforms: [] };
    await writeSlices(items(), { out: join(cwd, "slices", String(each[0])), info });
  }
  const folders = days.map(([day]) => join("slices", String(day)));
  const { code } = await capture(["install", ...folders, "--lake", "lake"], { cwd });
  expect(code).toBe(0);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const retain = async (age: string) => {
  const { out, err, code } = await capture(
    ["retain", "--older-than", age, "--lake", "lake", "--dry-run", "--as-of", "2026-05-25T00:00:00Z"],
    { cwd },
  );
  expect([code, err]).toEqual([0, ""]);
  return out.trimEnd().split("\n");
};

it("lists the slices that a retention takes, counts those of a long list, and says where it takes none", async () => {
  const few = await retain("22d");
  expect(few).toHaveLength(4);
  expect(few[0]).toMatch(/^captured before 2026-05-03T00:00:00/);
  expect(few.slice(1, 3)).toEqual(
    Array(2).fill(expect.stringMatching(/^ {2}[0-9a-f]{12} would be removed$/)),
  );
  expect(few[3]).toMatch(/^corpus: /);
  const many = await retain("1d");
  expect(many).toHaveLength(23);
  expect(many[21]).toBe(
    "  … and 3 more slices, in all 22 would be removed, 1 would be revised; --json lists them",
  );
  expect((await retain("60d"))[1]).toBe("  nothing");
});

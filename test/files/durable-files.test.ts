import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { createLake } from "../../src/ingest/create-lake.js";

type Syncs = Pick<FileHandle, "sync" | "datasync">;
let dir: string;
let handles: Syncs;
let own: Syncs;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-sync-"));
  const file = await open(join(dir, "file"), "w");
  handles = Object.getPrototypeOf(file) as Syncs;
  await file.close();
  own = { sync: handles.sync, datasync: handles.datasync };
  const none = async () => {
    throw new Error("Method not implemented.");
  };
  Object.assign(handles, { sync: none, datasync: none });
});
afterAll(async () => {
  Object.assign(handles, own);
  await rm(dir, { recursive: true, force: true });
});

test("a lake is made and asked where handles cannot sync, as under Yarn's Plug'n'Play", async () => {
  const path = join(dir, "lake");
  await createLake(path, [{ platform: "forum", lang: "en", text: "Hiking boots" }]);
  const lake = await openLake(path);
  for (const limit of [1, 2]) {
    const { data } = await lake.search({ query: "boots", limit });
    expect(data.map(({ text }) => text)).toEqual(["Hiking boots"]);
  }
  await lake.close();
  const again = await openLake(path);
  expect((await again.search({ query: "boots" })).meta.free_quota_remaining).toBe(997);
  await again.close();
});

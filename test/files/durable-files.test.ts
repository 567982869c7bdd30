import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEMO_AUTHOR_SALT, DEMO_DATA } from "../../src/cli/demo-sources.js";
import { openLake } from "../../src/client/open-lake.js";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { createLake } from "../../src/ingest/create-lake.js";
import { ingest } from "../../src/ingest/ingest.js";

type Methods = Pick<FileHandle, "sync" | "datasync" | "createReadStream">;

/** Ways in which handles say that they lack a method. */
const LACKING: readonly (readonly [string, () => Promise<never>])[] = [
  ["at once", () => lack()],
  ["later", async () => lack()],
];

function lack(): never {
  throw new Error("Method not implemented.");
}

describe.each(LACKING)("under Yarn's Plug'n'Play, whose handles cannot sync and say so %s,", (_, none) => {
  let dir: string;
  let handles: Methods;
  let own: Methods;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-sync-"));
    const file = await open(join(dir, "file"), "w");
    handles = Object.getPrototypeOf(file) as Methods;
    await file.close();
    own = { sync: handles.sync, datasync: handles.datasync, createReadStream: handles.createReadStream };
    // Its streams end with the descriptor where they are not read to their end, whatever `autoClose` says, so none is taken.
    Object.assign(handles, { sync: none, datasync: none, createReadStream: lack });
  });
  afterAll(async () => {
    Object.assign(handles, own);
    await rm(dir, { recursive: true, force: true });
  });

  test("a lake is made and asked", async () => {
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

  test("a file is read whose first bytes tell its format", async () => {
    const name = "emb_autodoc_solana_en";
    const report = await ingest([join(DEMO_DATA, name)], {
      adapter: await loadAdapter("documents-with-vectors"),
      out: join(dir, name),
      authorSalt: DEMO_AUTHOR_SALT,
      capturedAt: "2026-05-29T12:00:00Z",
    });
    expect(report.records).toBeGreaterThan(10);
  });
});

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTemporaryFolder, removeAbandonedFolders } from "../../src/files/temporary-folder.js";
import { rounds } from "../support/campaign.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-temporary-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it("leaves nothing, however many make folders while others look for abandoned ones", {
  tags: "slow",
}, async () => {
  let making = 4;
  const make = async () => {
    for (let n = 0; n < rounds(15); n++) {
      const folder = await makeTemporaryFolder(dir);
      expect(await readdir(folder.path)).toEqual([]);
      await folder.remove();
    }
    making--;
  };
  const look = async () => {
    while (making > 0) await removeAbandonedFolders(dir);
  };
  await Promise.all([make(), make(), make(), make(), look(), look(), look(), look()]);
  expect(await readdir(dir)).toEqual([]);
});

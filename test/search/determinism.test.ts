import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import { openIndex } from "../../src/search/open-index.js";
import { CAMPAIGN } from "../support/campaign.js";

const WORDS =
  "river bank money tree cloud storm market price phone battery camera light garden music train".split(" ");
const COUNT = 600;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-determinism-"));
});
afterAll(() => rm(folder, { recursive: true }));

function text(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[Math.floor((state / 2 ** 32) * WORDS.length)];
  }).join(" ");
}

const documents = (from: number, to: number) =>
  async function* (): AsyncGenerator<IndexDocument[]> {
    yield Array.from({ length: to - from }, (_, i) => ({
      id: `web_gnw_${String(from + i).padStart(6, "0")}`,
      lang: (from + i) % 5 === 0 ? "es" : "en",
      text: text(from + i, 5 + ((from + i) % 20)),
    }));
  };

/** SHA-256 of every file of an index, by its name. */
async function hashes(dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(
      path.slice(dir.length),
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
  }
  return found;
}

async function answers(dir: string, exact: boolean) {
  const index = await openIndex(dir, { exact });
  const all = RowSet.all(index.documentCount);
  const given: unknown[] = [];
  for (let n = 0; n < 100; n += 1) {
    for (const mode of ["keyword", "semantic", "hybrid"] as const) {
      const { rows, scores } = await index.rank(text(10_000 + n, 1 + (n % 6)), all, { limit: 20, mode });
      given.push([rows, scores]);
    }
  }
  await index.close();
  return given;
}

describe("the same documents", () => {
  it("give the same files when an index is built again", async () => {
    await buildIndex(join(folder, "a"), documents(0, COUNT), { threads: 0 });
    await buildIndex(join(folder, "b"), documents(0, COUNT), { threads: 0 });
    expect(await hashes(join(folder, "a"))).toEqual(await hashes(join(folder, "b")));
  });

  it("give the same files without worker threads and on several", { tags: "slow" }, async () => {
    // Worker threads run built modules; `npm test` builds first.
    const built = (await import(
      new URL("../../build/search/build-index.js", import.meta.url).href
    )) as typeof import("../../src/search/build-index.js");
    const many = 5_200; // two chunks to analyse; from 5,000 documents on, fitting and embedding take threads
    // One thread is two in which one waits: a campaign has it too.
    const counts = CAMPAIGN ? [0, 1, 2] : [0, 2];
    for (const threads of counts)
      await built.buildIndex(join(folder, `threads-${threads}`), documents(0, many), { threads });
    const alone = await hashes(join(folder, "threads-0"));
    for (const threads of counts.slice(1))
      expect(await hashes(join(folder, `threads-${threads}`)), `${threads}`).toEqual(alone);
  });

  it("give the same exact answers when a part is added later, by the same fit, and share what was there", async () => {
    const [base, added, whole] = [join(folder, "base"), join(folder, "added"), join(folder, "whole")];
    const first = COUNT - 50;
    await buildIndex(base, documents(0, first), { threads: 0 });
    await buildIndex(added, documents(first, COUNT), { threads: 0, base: { dir: base } });
    await buildIndex(whole, documents(0, COUNT), { threads: 0, fit: { dir: base } });
    expect(await answers(added, true)).toEqual(await answers(whole, true));
    for (const file of ["keyword/postings.bin", "local/vectors.i8", "local/set.json", "ids.txt"]) {
      const inode = async (dir: string) => (await stat(join(dir, "segment-0000", file))).ino;
      expect(await inode(added), file).toBe(await inode(base));
    }
  });
});

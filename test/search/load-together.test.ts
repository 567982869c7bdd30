import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildVectorSet } from "../../src/search/vector/build-vector-set.js";
import { BYTE_VECTOR, byteVectorOf } from "../../src/search/vector/byte-vectors.js";
import { ColumnScan } from "../../src/search/vector/codes/column-scan.js";
import { QUANTIZERS } from "../../src/search/vector/codes/quantizer.js";
import type { ScanMate } from "../../src/search/vector/codes/scan-mate.js";
import { claimsOf, helpLoading, type LoadTask } from "../../src/search/vector/help-loading.js";
import type { Claims } from "../../src/search/vector/load-claims.js";
import { helpWith, loadTogether } from "../../src/search/vector/load-together.js";
import { loadVectors, PIECE_ROWS, piecesOf } from "../../src/search/vector/load-vectors.js";
import { ByteScores } from "../../src/search/vector/scores/byte-scores.js";
import { joinSetFiles, type SetFolder } from "../../src/search/vector/set-files.js";
import { VECTOR_FILES } from "../../src/search/vector/vector-files.js";

/** Rows of two sets that are loaded as one: five pieces, of which the third has rows of both. */
const SIZES = [600, 550];
const COUNT = SIZES.reduce((sum, size) => sum + size, 0);
const PIECES = piecesOf(COUNT);
let folder: string;
const parts: SetFolder[] = [];
/** As many rows, of which 96 numbers are stored. */
const narrow: SetFolder[] = [];

async function setOf(size: number, width: number | undefined, next: () => number): Promise<SetFolder> {
  const dir = await mkdtemp(join(folder, "set-"));
  const own = byteVectorOf(width ?? 1536);
  const stored = Uint8Array.from({ length: size * own }, next);
  for (let end = own; end <= stored.length; end += own)
    new DataView(stored.buffer, end - 4, 4).setFloat32(0, 1 / 2_900, true);
  await writeFile(join(dir, VECTOR_FILES.byteVectors), stored);
  const options = { numbers: "int8", width, threads: 0, codesFrom: 100 } as const;
  return { dir, manifest: await buildVectorSet(dir, options) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-together-"));
  let state = 5;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  for (const size of SIZES) {
    parts.push(await setOf(size, undefined, next));
    narrow.push(await setOf(size, 96, next));
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Room for the codes of the sets and for some of their vectors, in memory that threads share, and what another thread is asked by whom. */
async function room(kept: number, load: (task: LoadTask) => void = () => undefined, sets = parts) {
  const files = joinSetFiles(sets);
  const mate = { join: () => () => undefined, load } as unknown as ScanMate;
  const bytes = await ByteScores.create(files.bytes, kept, true);
  const columns = await ColumnScan.create(COUNT, files, QUANTIZERS.wide, mate);
  const help = helpWith(sets, bytes, columns, mate)!;
  const { memory, places } = help.task.coding;
  const made = () => ({
    codes: Buffer.from(memory.buffer, places.codes).toString("base64"),
    vectors: help.task.bytes && Buffer.from(help.task.bytes.memory.buffer).toString("base64"),
  });
  return { files, into: [bytes, columns], help, made };
}

/** So many of the pieces that others leave. */
function some(claims: Claims, most: number): Claims {
  let left = most;
  return { next: () => (left-- > 0 ? claims.next() : undefined), done: () => claims.done() };
}

describe("a set that two threads load", () => {
  it.each([0, 300, COUNT])("has the same codes and %i vectors, whoever loads how much", async (kept) => {
    const alone = await room(kept);
    await loadVectors(alone.files.bytes, kept === 0 ? alone.into.slice(1) : alone.into);
    const expected = alone.made();
    expect(new Set(Buffer.from(expected.codes, "base64")).size).toBe(256);
    for (let own = 0; own <= PIECES; own += 1) {
      const { files, into, help, made } = await room(kept);
      const claims = claimsOf(help.task.coding);
      await loadVectors(files.bytes, kept === 0 ? into.slice(1) : into, { claims: some(claims, own) });
      await helpLoading(help.task);
      expect(claims.settle()).toBe(true);
      expect(made()).toEqual(expected);
      files.close();
    }
    alone.files.close();
  });

  it("has the same codes and vectors where fewer numbers are stored", async () => {
    for (const sets of [narrow, [parts[0]!, narrow[1]!]]) {
      const alone = await room(300, undefined, sets);
      await loadVectors(alone.files.bytes, alone.into);
      const { files, into, help, made } = await room(300, undefined, sets);
      const claims = claimsOf(help.task.coding);
      await loadVectors(files.bytes, into, { claims: some(claims, 2) });
      await helpLoading(help.task);
      expect(claims.settle()).toBe(true);
      expect(made()).toEqual(alone.made());
      for (const opened of [files, alone.files]) opened.close();
    }
  });

  it("is asked for as soon as it is loaded, and no vector twice", async () => {
    const asked: LoadTask[] = [];
    const { files, into, help } = await room(300, (task) => asked.push(task));
    const read: number[] = [];
    const vectors = {
      ...files.bytes,
      count: COUNT,
      readBytes: (first: number, count: number, bytes: Uint8Array) => {
        expect(asked).toEqual([help.task]);
        read.push(first);
        files.bytes.readBytes(first, count, bytes);
      },
    };
    await loadTogether(vectors, into, help);
    expect(read).toEqual(Array.from({ length: PIECES }, (_, piece) => piece * PIECE_ROWS));
    // Who comes late finds nothing to do.
    await helpLoading(help.task);
    expect(claimsOf(help.task.coding).settle()).toBe(true);
    files.close();
  });

  it("is loaded by one thread where the other one cannot read it, and fails where neither can", async () => {
    const alone = await room(300);
    await loadVectors(alone.files.bytes, alone.into);
    const missing = parts.map(({ manifest }) => ({ dir: join(folder, "missing"), manifest }));
    const { files, into, help, made } = await room(300);
    await helpLoading({ ...help.task, parts: missing });
    await loadTogether(files.bytes, into, help);
    expect(made()).toEqual(alone.made());
    await truncate(join(parts[1]!.dir, VECTOR_FILES.byteVectors), 100 * BYTE_VECTOR);
    const torn = await room(300).catch((error: unknown) => error);
    expect(String(torn)).toContain("has 100 vectors, not 550");
    // Of a file that is cut off while it is open.
    await expect(loadTogether(files.bytes, into, help)).rejects.toThrow(RangeError);
    for (const opened of [files, alone.files]) opened.close();
  });
});

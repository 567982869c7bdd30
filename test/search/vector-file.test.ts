import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VectorFile } from "../../src/search/vector/vector-file.js";

const WIDTH = 1536;
const ROWS = Uint32Array.of(1, 4, 9);
let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-vectors-file-"));
  path = join(folder, "vectors.f32");
  await writeFile(path, new Uint8Array(Float32Array.from({ length: 10 * WIDTH }, (_, i) => i).buffer));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a file of vectors", () => {
  it("reads the same whether rows were read ahead or not", async () => {
    const [slow, fast] = [
      VectorFile.open(path, undefined, 0),
      VectorFile.open(path, undefined, Number.POSITIVE_INFINITY),
    ];
    await slow.readAhead(ROWS);
    await fast.readAhead(ROWS);
    for (const row of ROWS) {
      expect(slow.read(row)[0]).toBe(row * WIDTH);
      expect(slow.read(row)).toEqual(fast.read(row));
    }
    slow.close();
    fast.close();
  });

  it("says of a row beyond the end that there is none", async () => {
    const file = VectorFile.open(path, undefined, 0);
    await file.readAhead(Uint32Array.of(10));
    expect(() => file.read(10)).toThrow(RangeError);
    file.close();
  });
});

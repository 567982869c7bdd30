import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VectorFile, VectorFileError, writeVectors } from "../../src/slice/arrow-vectors.js";

function vector(seed: number): Float32Array {
  return Float32Array.from({ length: 1536 }, (_, i) => Math.sin(seed * 31 + i));
}

describe("vectors as Arrow IPC", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-arrow-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function write(name: string, count: number, model?: string): Promise<string> {
    const path = join(dir, name);
    const file = await open(path, "w");
    async function* vectors() {
      for (let i = 0; i < count; i++) yield { id: `web_psg_é${i}`, values: vector(i) };
    }
    expect(await writeVectors(file, vectors(), { model })).toBe(count);
    await file.close();
    return path;
  }

  it.each([0, 1, 1023, 1024, 1025, 2100])(
    "reads %i vectors back by position, in any order",
    async (count) => {
      const file = await VectorFile.open(await write("v.arrow", count, "model-x"));
      expect(file.length).toBe(count);
      expect(file.model).toBe("model-x");
      for (const position of [0, count - 1, Math.floor(count / 2), 0].filter((p) => p >= 0 && p < count)) {
        const { id, values } = await file.read(position);
        expect(id).toBe(`web_psg_é${position}`);
        expect(values).toEqual(vector(position));
      }
      await expect(file.read(count)).rejects.toThrow(RangeError);
      await file.close();
    },
  );

  it("writes the same bytes for the same vectors, which an ordinary reader understands", async () => {
    const [a, b] = [
      await readFile(await write("a.arrow", 1500)),
      await readFile(await write("b.arrow", 1500)),
    ];
    expect(a.equals(b)).toBe(true);
    const table = tableFromIPC(a);
    expect(table.numRows).toBe(1500);
    expect(table.getChild("id")!.get(1400)).toBe("web_psg_é1400");
    expect(Float32Array.from(table.getChild("vector")!.get(1400))).toEqual(vector(1400));
  });

  it("refuses vectors of another length, and files that are not of vectors", async () => {
    const file = await open(join(dir, "short.arrow"), "w");
    async function* short() {
      yield { id: "a", values: new Float32Array(3) };
    }
    await expect(writeVectors(file, short())).rejects.toThrow(RangeError);
    await file.close();
    await writeFile(join(dir, "text.arrow"), "hello ".repeat(100));
    await expect(VectorFile.open(join(dir, "text.arrow"))).rejects.toThrow(VectorFileError);
    await writeFile(join(dir, "empty.arrow"), "");
    await expect(VectorFile.open(join(dir, "empty.arrow"))).rejects.toThrow(VectorFileError);
    const whole = await readFile(await write("whole.arrow", 10));
    await writeFile(join(dir, "cut.arrow"), whole.subarray(0, whole.length - 100));
    await expect(VectorFile.open(join(dir, "cut.arrow"))).rejects.toThrow(VectorFileError);
  });
});

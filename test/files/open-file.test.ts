import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OpenFile } from "../../src/files/open-file.js";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mirrorlake-open-file-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const MANY = 40;
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255);

function written(name: string, bytes: Uint8Array): string {
  const path = join(dir, name);
  writeFileSync(path, bytes);
  return path;
}

test("the first read and later ones give the same bytes, of a small file and of a large one", () => {
  for (const length of [5000, 5 * 1024 * 1024]) {
    const bytes = bytesOf(length);
    const file = OpenFile.open(written(`${length}.bin`, bytes));
    for (let read = 0; read < MANY; read++) {
      const at = Math.floor((read * (length - 300)) / MANY);
      const into = new Uint32Array(64);
      file.read(into, at);
      expect(Buffer.from(into.buffer).equals(bytes.subarray(at, at + 256))).toBe(true);
    }
    file.close();
  }
});

test("every read gives what the file has there, or says that it ends", () => {
  const bytes = bytesOf(1000);
  const path = written("any.bin", bytes);
  const read = fc.record({ at: fc.nat(1200), length: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(read, { maxLength: MANY }), (reads) => {
      const file = OpenFile.open(path);
      for (const { at, length } of reads) {
        const into = new Uint8Array(length);
        if (at + length > bytes.length && length > 0)
          expect(() => file.read(into, at)).toThrow(/ends at byte \d+: it is truncated/);
        else {
          file.read(into, at);
          expect(into).toEqual(bytes.slice(at, at + length));
        }
      }
      file.close();
    }),
  );
});

test("a file that was cut says so on every read past its end", () => {
  const path = written("cut.bin", bytesOf(2000));
  const file = OpenFile.open(path);
  truncateSync(path, 1000);
  for (let read = 0; read < MANY; read++)
    expect(() => file.read(new Uint8Array(10), 1500)).toThrow("it is truncated");
  file.close();
});

test("is not read after it was closed, even if it was kept in memory", () => {
  const file = OpenFile.open(written("closed.bin", bytesOf(100)));
  for (let read = 0; read < MANY; read++) file.read(new Uint8Array(10), read);
  file.close();
  expect(() => file.read(new Uint8Array(10), 0)).toThrow("was closed with its lake");
});

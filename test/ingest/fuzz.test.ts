import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IngestError } from "../../src/contract/errors.js";
import { runs } from "../support/campaign.js";
import { readAll, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

const JSON_LINES = Buffer.from('{"a":1,"b":"é\\"x"}\n{"a":[1,{"z":null}]}\n{"a":12345678901234567890}\n');
const SEEDS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["a.jsonl", JSON_LINES],
  ["a.json", Buffer.from('{"data":[{"a":1},{"b":["\\u00e9",-1.5e3,true]}],"n":{}}')],
  ["a.csv", Buffer.from('id,text\r\n1,"a ""b""\nc"\r\n2,é\r\n')],
  ["a.tsv", Buffer.from("id\ttext\n1\tx\n")],
  ["a.jsonl.gz", gzipSync(JSON_LINES)],
  [
    "a.zip",
    zipOf([
      { name: "d/a.jsonl", data: JSON_LINES },
      { name: "b.csv", data: Buffer.from("a,b\n1,2\n"), stored: true },
    ]),
  ],
];

describe("whatever bytes a file has", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it.each(SEEDS)(
    "%s gives rows, rejects, or one IngestError that names it (property)",
    async (name, seed) => {
      const edit = fc.record({
        at: fc.nat(),
        remove: fc.nat({ max: 6 }),
        insert: fc.oneof(
          fc.uint8Array({ maxLength: 6 }),
          fc
            .constantFrom('"', "\n", "\r", ",", "[", "}", "\\", "\0", "\ufeff", "\ud83d\ude00")
            .map((c) => Buffer.from(c)),
        ),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(edit, { minLength: 1, maxLength: 4 }),
          fc.boolean(),
          async (edits, inside) => {
            // Half of the edits of compressed files are to what is inside.
            const unpack = inside && name.endsWith(".gz");
            let bytes: Buffer = unpack ? gunzipSync(seed) : seed;
            for (const { at, remove, insert } of edits) {
              const start = at % (bytes.length + 1);
              bytes = Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)]);
            }
            const path = await scratch.write(name, unpack ? gzipSync(bytes) : bytes);
            try {
              const { rows, rejects } = await readAll(path);
              const places = [...rows, ...rejects].map(({ line }) => line);
              expect(places.every((line) => line >= 1)).toBe(true);
              expect(new Set(places).size === places.length || name === "a.zip").toBe(true);
            } catch (error) {
              expect(error).toBeInstanceOf(IngestError);
              expect((error as IngestError).message).toContain(name);
            }
          },
        ),
        runs(120),
      );
    },
  );
});

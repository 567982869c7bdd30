import { Duplex } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DatabaseError, SqlError } from "../../src/contract/errors.js";
import { errorOf, failureOf } from "../../src/processes/failure.js";
import { FramePort } from "../../src/processes/frame-port.js";
import { runs } from "../support/campaign.js";

/** A stream that gives what is written to it in pieces of the given sizes, over and over. */
function pieces(sizes: readonly number[]): Duplex {
  let written = Buffer.alloc(0);
  const stream: Duplex = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      written = Buffer.concat([written, bytes]);
      done();
    },
    final: (done) => {
      for (let at = 0, i = 0; at < written.length; i++) {
        const size = sizes[i % sizes.length]!;
        stream.push(written.subarray(at, at + size));
        at += size;
      }
      stream.push(null);
      done();
    },
  });
  return stream;
}

async function passed(values: readonly unknown[], sizes: readonly number[]): Promise<unknown[]> {
  const stream = pieces(sizes);
  const received: unknown[] = [];
  const port = new FramePort(stream, (value) => received.push(value));
  for (const value of values) port.send(value);
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  return received;
}

test("values of every kind arrive whole and in order, whatever the pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, maxDepth: 2 })),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
      async (values, sizes) => {
        expect(await passed(values, sizes)).toEqual(values);
      },
    ),
    runs(60),
  );
});

test("typed arrays keep their kind, large ones too", async () => {
  const floats = Float32Array.from({ length: 1_000_000 }, (_, i) => i / 7);
  const values = [{ floats, text: "é" }, BigInt64Array.of(-1n, 2n ** 62n), new Uint8Array([1, 2, 3])];
  const [first, ...others] = (await passed(values, [65_536, 1, 3])) as typeof values;
  expect(others).toEqual(values.slice(1));
  // A million numbers one by one would take expect() seconds.
  expect(first).toMatchObject({ text: "é", floats: expect.any(Float32Array) });
  expect(
    Buffer.compare(
      Buffer.from((first as { floats: Float32Array }).floats.buffer),
      Buffer.from(floats.buffer),
    ),
  ).toBe(0);
});

test("errors keep their class, code, message, value and remedy", () => {
  const error = new SqlError("sql_failed", "two\nlines", { value: [1n], remedy: "try", lines: true });
  expect(errorOf(failureOf(error))).toEqual(error);
  expect(errorOf(failureOf(error))).toBeInstanceOf(SqlError);
  expect(errorOf(failureOf(new DatabaseError("a", "b", { remedy: "c" })))).toBeInstanceOf(DatabaseError);
  expect(errorOf(failureOf(new TypeError("x")))).toEqual(new Error("x"));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonBodyWriter } from "../../src/service/json-body.js";
import { vectorText } from "../../src/service/vector-text.js";
import { runs } from "../support/campaign.js";

const anyFloat32 = fc.float({ noNaN: true, noDefaultInfinity: true });

test("every single-precision number reads back as itself", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyFloat32, fc.float({ min: -1, max: 1, noNaN: true }))), (numbers) => {
      const vector = Float32Array.from(numbers);
      const parsed = JSON.parse(vectorText(vector).toString()) as number[];
      expect(parsed.map((n) => Math.fround(n) + 0)).toEqual(Array.from(vector, (n) => n + 0));
    }),
    runs(2000),
  );
});

test("no shorter decimal reads back as the same number", () => {
  fc.assert(
    fc.property(fc.float({ min: Math.fround(1e-6), max: 1, noNaN: true, maxExcluded: true }), (value) => {
      const text = vectorText(Float32Array.of(value)).toString().slice(1, -1);
      const significant = text.replace(/^0\.0*/, "").length;
      const shortest = [1, 2, 3, 4, 5, 6, 7, 8, 9].find(
        (d) => Math.fround(Number(value.toPrecision(d))) === value,
      );
      expect(significant).toBeLessThanOrEqual(Math.max(6, shortest!));
    }),
    runs(2000),
  );
});

test.each([
  [0, "[0]"],
  [-0, "[0]"],
  [0.5, "[0.5]"],
  [-0.25, "[-0.25]"],
  [1, "[1]"],
  [0.1, "[0.1]"],
  [0.99999994, "[0.99999994]"],
  [0.09999999, "[0.09999999]"],
  [Number.NaN, "[null]"],
  [Number.POSITIVE_INFINITY, "[null]"],
  [123456, "[123456]"],
])("%d is written as %s", (value, text) => {
  expect(vectorText(Float32Array.of(value)).toString()).toBe(text);
});

const record = (id: string, ...numbers: number[]) => ({
  id,
  text: 'a "vec":0',
  vec: Float32Array.from(numbers),
});

test("a body is the JSON that JSON.stringify makes of plain arrays, but for the place of vec", () => {
  const data = [record("a", 0.5, 0.25), { id: "b", extra: { vec: 0 } }, { vec: Float32Array.of(1) }];
  const body = { request_id: "x", data, meta: { empty: false } };
  const plain = { ...body, data: data.map((r) => (r.vec ? { ...r, vec: Array.from(r.vec) } : r)) };
  expect(JSON.parse(Buffer.from(new JsonBodyWriter().write(body)).toString())).toEqual(plain);
});

test("a kept text is used for the same vector only", () => {
  const writer = new JsonBodyWriter();
  const vecOf = (...numbers: number[]) => {
    const text = Buffer.from(writer.write({ data: [record("a", ...numbers)] })).toString();
    return (JSON.parse(text) as { data: { vec: number[] }[] }).data[0]?.vec;
  };
  expect(vecOf(0.5)).toEqual([0.5]);
  expect(vecOf(0.5)).toEqual([0.5]);
  expect(vecOf(0.25)).toEqual([0.25]);
  expect(vecOf(0.25, 0.5)).toEqual([0.25, 0.5]);
});

test("a writer keeps no more than its capacity", () => {
  const writer = new JsonBodyWriter(100);
  for (let i = 0; i < 1000; i++) writer.write({ data: [record(`r${i}`, 0.5, i / 1000)] });
  expect(Buffer.from(writer.write({ data: [record("r0", 0.125)] })).toString()).toContain("[0.125]");
});

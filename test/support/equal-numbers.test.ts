import { expect, test } from "vitest";

const EQUAL: readonly (readonly [unknown, unknown])[] = [
  [Float32Array.of(1.5, NaN), Float32Array.of(1.5, NaN)],
  [new BigInt64Array(2), new BigInt64Array(2)],
  [
    [1, NaN, -0],
    [1, NaN, -0],
  ],
  [
    [1, { a: 2 }],
    [1, { a: 2, b: undefined }],
  ],
  [
    [1, "text"],
    [expect.any(Number), "text"],
  ],
];
const DIFFERENT: readonly (readonly [unknown, unknown])[] = [
  [Float32Array.of(1, 2), Float32Array.of(1, 3)],
  [Float32Array.of(0), Float32Array.of(-0)],
  [Float32Array.of(1), Float32Array.of(1, 0)],
  [Float32Array.of(1), Float64Array.of(1)],
  [[0], [-0]],
  [[1, 2], [1]],
  [
    [1, 2],
    [1, 3],
  ],
  [[1], ["1"]],
  [
    [1, { a: 2 }],
    [1, { a: 3 }],
  ],
];

test.each(EQUAL)("%o equals %o", (a, b) => {
  expect(a).toEqual(b);
  expect({ list: a }).toEqual({ list: b });
  expect(() => expect(a).not.toEqual(b)).toThrow("to not deeply equal");
});

test.each(DIFFERENT)("%o does not equal %o", (a, b) => {
  expect(a).not.toEqual(b);
  expect({ list: a }).not.toEqual({ list: b });
  expect(() => expect(a).toEqual(b)).toThrow("to deeply equal");
});

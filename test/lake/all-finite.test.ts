import fc from "fast-check";
import { expect, it } from "vitest";
import { allFinite } from "../../src/slice/all-finite.js";

it("tells vectors of finite numbers from all others", () => {
  expect(allFinite(new Float32Array(0))).toBe(true);
  expect(allFinite(Float32Array.of(-0, 3.4e38, -3.4e38, 1e-45))).toBe(true);
  fc.assert(
    fc.property(fc.float32Array({ maxLength: 20 }), (values) => {
      expect(allFinite(values)).toBe(values.every(Number.isFinite));
    }),
  );
});

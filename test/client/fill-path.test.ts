import fc from "fast-check";
import { expect, test } from "vitest";
import { fillPath } from "../../src/client/fill-path.js";

test("a literal path and its parameters stay as they are", () => {
  const params = { city: "a" };
  expect(fillPath("/v1/search", params)).toEqual({ path: "/v1/search", params });
});

test("any value fills one segment, and is not sent twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (city) => {
      fc.pre(city !== "." && city !== "..");
      const { path, params } = fillPath("/v1/weather/{city}/days", { city, days: 3 });
      const segments = path.split("/");
      expect(segments).toHaveLength(5);
      expect(decodeURIComponent(segments[3]!)).toBe(city);
      expect(params).toEqual({ days: 3 });
    }),
  );
});

test.each([[{}], [{ city: "" }], [{ city: undefined }], [{ city: null }]])("%j is refused", (params) => {
  expect(() => fillPath("/v1/weather/{city}", params)).toThrow(
    expect.objectContaining({ code: "missing_path_parameter", value: "city" }),
  );
});

test.each([".", ".."])("%j is refused: a URL would drop it", (city) => {
  expect(() => fillPath("/v1/weather/{city}", { city })).toThrow(
    expect.objectContaining({ code: "invalid_path_parameter", value: city }),
  );
});

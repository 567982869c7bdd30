import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, ERRORS, type ErrorCode, LakeError } from "../../src/contract/errors.js";
import { safeJson } from "../../src/contract/safe-json.js";

describe("an error as JSON", () => {
  test("of the service keeps code, message, status and remedy", () => {
    const error = new ApiError("rate_limited", { requestId: "r-1", retryAfterS: 7 });
    expect(JSON.parse(JSON.stringify({ error }))).toEqual({
      error: {
        name: "ApiError",
        code: "rate_limited",
        message: "Rate limited",
        status: 429,
        requestId: "r-1",
        retryAfterS: 7,
        remedy: ERRORS.rate_limited.remedy,
      },
    });
  });

  test.each(Object.keys(ERRORS) as ErrorCode[])("%s says what to do", (code) => {
    expect(new ApiError(code).remedy).toMatch(/^[A-Z].+\.$/);
  });

  test("of the library keeps its name, code, value and remedy", () => {
    const error = new LakeError("lake_not_found", "No lake", {
      value: { path: "/x", id: 7n },
      remedy: "Do.",
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "LakeError",
      code: "lake_not_found",
      message: "No lake",
      value: { path: "/x", id: "7" },
      remedy: "Do.",
    });
  });
});

describe("safeJson", () => {
  test("cuts cycles, depth, length and what JSON cannot say", () => {
    const cycle: Record<string, unknown> = { n: Number.NaN, f: () => 1, u: undefined };
    cycle.self = cycle;
    expect(safeJson(cycle)).toEqual({ n: "NaN", f: "[function]", self: "[circular]" });
    expect(safeJson([[[[[1]]]]])).toEqual([[[["[array]"]]]]);
    expect(safeJson(new Float32Array(4))).toBe("[Float32Array of 16 bytes]");
    expect(safeJson("x".repeat(2000))).toHaveLength(1001);
    expect(safeJson(Array.from({ length: 60 }, (_, at) => at))).toContain("… 10 more");
    expect(safeJson(undefined)).toBeUndefined();
  });

  test("writes any value as JSON", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withTypedArray: true }), (value) => {
        expect(() => JSON.stringify(safeJson(value))).not.toThrow();
      }),
    );
  });

  test("leaves small JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(JSON.stringify(safeJson(value))).toBe(JSON.stringify(value));
      }),
    );
  });
});

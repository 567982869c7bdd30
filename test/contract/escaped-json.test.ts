import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapedJson } from "../../src/contract/whole-json.js";

describe("escapedJson", () => {
  test("prints every digit of a bigint, as a number", () => {
    const ids = [7400000000000000123n, 7400000000000000124n, -1n, 2n ** 127n, 0n];
    expect(escapedJson({ ids, deep: [{ id: ids[0] }] })).toBe(
      `{"ids":[7400000000000000123,7400000000000000124,-1,${2n ** 127n},0],"deep":[{"id":7400000000000000123}]}`,
    );
    expect(escapedJson(12345678901234567890n)).toBe("12345678901234567890");
    expect(escapedJson({ big: BigInt64Array.from([9007199254740993n]), f: Float32Array.from([0.5]) })).toBe(
      '{"big":[9007199254740993],"f":[0.5]}',
    );
  });

  test("leaves every text as it is, beside bigints too", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(), (value, big) => {
        const json = escapedJson([value, big]);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([value, Number(big)])));
        expect(json.endsWith(`,${big}]`)).toBe(true);
      }),
    );
    const digits = { text: "7400000000000000123", "12": '"34"', big: 1n };
    expect(escapedJson(digits)).toBe('{"12":"\\"34\\"","text":"7400000000000000123","big":1}');
  });
});

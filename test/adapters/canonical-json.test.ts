import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MirrorlakeError } from "../../src/contract/errors.js";
import { canonicalJson } from "../../src/contract/slice/canonical-json.js";
import { recordHash } from "../../src/slice/record-hash.js";

/** A double of its IEEE 754 bits. */
function double(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

describe("canonical JSON (RFC 8785)", () => {
  // RFC 8785, appendix B.
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("writes the double %s as %s", (hex, text) => {
    expect(canonicalJson(double(hex))).toBe(text);
  });

  it("sorts members by UTF-16 code units and escapes as section 3.2.2 does", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect([...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map((match) => match[1])).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  });

  it("says the same value whatever the order of members, and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!/\\ud[89a-f]/i.test(JSON.stringify(value)));
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(text).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  it.each([
    ["NaN", { a: Number.NaN }],
    ["infinity", [Number.POSITIVE_INFINITY]],
    ["a lone surrogate", "\ud83d"],
    ["a lone surrogate in a name", { "\ude00": 1 }],
    ["a bigint", 1n],
    ["undefined in a list", [undefined]],
    ["a date", new Date(0)],
    ["a map", new Map()],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(MirrorlakeError);
  });

  it("leaves undefined members out, and hashes records over the rest", () => {
    const record = { id: "web_psg_1", src: "web", platform: "passages", lang: "en", text: "x" } as const;
    expect(canonicalJson({ ...record, title: undefined })).toBe(canonicalJson(record));
    // printf '{"id":"web_psg_1","lang":"en","platform":"passages","src":"web","text":"x"}' | sha256sum
    expect(recordHash(record)).toBe(HASH);
  });
});

const HASH = "0x234ecd47c095d36a8f254551487287604a3363dfc9c36789894a3900d04660a7";

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

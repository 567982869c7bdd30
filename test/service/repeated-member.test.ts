import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedMember } from "../../src/service/repeated-member.js";

test("JSON that was made of a value repeats no member", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
      expect(repeatedMember(JSON.stringify(value, null, indent))).toBeUndefined();
    }),
  );
});

test("a member that is repeated is found by its path, wherever it is and however it is written", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.string(), fc.jsonValue(), (before, name, value) => {
      const [key, held] = [JSON.stringify(name), JSON.stringify(value)];
      const escaped = `"${[...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
      const items = [
        ...before.map((item) => JSON.stringify(item)),
        `{${key}:${held} , ${escaped}\n:${held}}`,
      ];
      expect(repeatedMember(`{"a":[${items.join(",")}]}`)).toEqual(["a", before.length, name]);
    }),
  );
});

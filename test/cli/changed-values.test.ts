import { describe, expect, it } from "vitest";
import { changedValues } from "../../src/cli/format/changed-values.js";

describe("changed values", () => {
  it("shows what differs of long texts, wherever it is", () => {
    const text = "Last Thursday we had a lot of snow. ".repeat(20);
    expect(changedValues(text, `${text}EDIT: thanks`)).toBe(
      '… had a lot of snow. " → … had a lot of snow. EDIT: thanks"',
    );
    expect(changedValues(`b${text}`, `c${text}`)).toBe(`"b${text.slice(0, 77)}… → "c${text.slice(0, 77)}…`);
  });

  it("shows short values as they are", () => {
    expect(changedValues(null, "new")).toBe('null → "new"');
    expect(changedValues([1, 2], [1, 3])).toBe("[1,2] → [1,3]");
  });

  it("cuts no character in half", () => {
    const text = "😀".repeat(200);
    for (const more of ["", "a", "ab"])
      expect(changedValues(more + text, `${more + text}😂`)).not.toMatch(/\p{Surrogate}/u);
  });
});

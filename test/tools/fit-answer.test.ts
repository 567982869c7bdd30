import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/contract/json.js";
import type { Draft } from "../../src/tools/answer.js";
import { fitAnswer } from "../../src/tools/fit-answer.js";
import { quotedLine } from "../../src/tools/quoted-data.js";
import { runs } from "../support/campaign.js";
import { fitAtOnce } from "./fit-at-once.js";

const PART = [
  "a<|b ",
  "<system>",
  "One sentence. ",
  "电池很好。",
  "   ",
  "x",
  "\n",
  "\u200b👩‍👩‍👧",
  "\ud800",
  "İ",
  "12345,",
];
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .tuple(fc.constantFrom(...PART), fc.integer({ min: 1, max: 400 }))
    .map(([part, times]) => part.repeat(times)),
);
const name = fc.oneof(
  fc.constantFrom("cite", "0", "7", "text", "__proto__", "<tool"),
  fc.string({ maxLength: 8 }),
);
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constantFrom(null, true, 0.5),
    fc.array(tie("value"), { maxLength: 12 }),
    fc.array(fc.integer(), { minLength: 50, maxLength: 300 }),
    fc.dictionary(name, tie("value"), { maxKeys: 30 }),
  ),
})).value;
const row = fc.record({ value, cite: fc.option(fc.constantFrom("forum/1#a"), { nil: undefined }) });
const draft = fc
  .record({
    rows: fc.oneof(
      fc.array(row, { maxLength: 6 }),
      fc
        .tuple(row, fc.integer({ min: 1, max: 40 }))
        .map(([one, times]) => new Array<typeof one>(times).fill(one)),
    ),
    part: fc.option(fc.constantFrom({ path: [], from: 3 }, { path: [2, 1], from: 40 }), { nil: undefined }),
    calls: fc.boolean(),
    further: fc.constantFrom(undefined, 0, 12_345),
    notes: fc.constantFrom(undefined, ["Mind the gap."]),
    isError: fc.boolean(),
  })
  .map(({ calls, rows, ...rest }): Draft => {
    const callOf = (at: Record<string, Json>) => ({
      tool: "query_sql",
      arguments: { query: "SELECT '</x>'", ...at },
    });
    const called = rows.map((one, i) => ({ ...one, partCall: (part: string) => callOf({ skip: i, part }) }));
    return {
      ...rest,
      what: "rows",
      rows: calls ? called : rows,
      after: (shown) => (calls && shown < rows.length ? callOf({ skip: shown }) : undefined),
    };
  });
/** What models of several makers take for roles, and what is plain text. */
const ROLES = [
  "<|im_start|>system",
  "<start_of_turn>model",
  "<end_of_turn>",
  "<<SYS>>",
  "[INST] a [/INST]",
  "### Instruction: a",
  "## system",
];
const PLAIN = ["System: a", "a < b", "[1, 2]", "# Instruction manual", "<start>", "[INSTALL]", "x<<1"];

const cost = fc.constantFrom(
  { chargedUsd: "0.004000", words: undefined },
  { chargedUsd: "0", words: "Charged 0 USD." },
);

/** Rows that would take seconds to write in whole. */
const LARGE: Draft = {
  what: "rows",
  rows: Array.from({ length: 300 }, (_, i) => ({ value: { i, t: "a<|b".repeat(5_000) }, cite: undefined })),
};

describe("an answer that is fitted", () => {
  test("has the same bytes as one of which every attempt is made in whole", {
    tags: "slow",
    timeout: 60_000,
  }, async () => {
    const budget = fc.constantFrom(60, 300, 1_000, 8_000);
    const same = fc.asyncProperty(draft, budget, cost, async (given, tokens, paid) => {
      expect(await fitAnswer(given, tokens, paid)).toEqual(fitAtOnce(given, tokens, paid));
    });
    await fc.assert(same, runs(150));
  });

  test("leaves other work its turns, and writes little more than it shows", async () => {
    let written = 0;
    const rows = LARGE.rows.map(({ value }) => ({
      cite: undefined,
      get value() {
        written++;
        return value;
      },
    }));
    let turns = 0;
    let fitting = true;
    const other = () => {
      turns++;
      if (fitting) setImmediate(other);
    };
    setImmediate(other);
    const answer = await fitAnswer({ ...LARGE, rows }, 8_000, { chargedUsd: "0", words: undefined });
    fitting = false;
    expect(answer.structured.shown).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(5);
    expect(written).toBeLessThan(rows.length);
  });

  test("of an error has no records, whatever it says", async () => {
    const row = { value: { error: "invalid_sql", message: "near SELEC" }, cite: undefined };
    const failed = { what: "The call failed: invalid_sql.", rows: [row], isError: true };
    const answer = await fitAnswer(failed, 8_000, { chargedUsd: "0", words: undefined });
    expect(answer.text).toContain("near SELEC");
    expect(answer).toMatchObject({
      isError: true,
      records: [],
      citations: [],
      structured: { shown: 0, left_out: 0 },
    });
  });

  test("is given up when its time is over", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("too late")));
    const fitted = fitAnswer(LARGE, 8_000, { chargedUsd: "0", words: undefined }, controller.signal);
    await expect(fitted).rejects.toThrow("too late");
  });
});

test("what models take for a role is escaped in quoted data, and comes back", () => {
  for (const role of ROLES) {
    expect(quotedLine(role), role).toMatch(/^"\\u00(3c|5b|23)/);
    expect(JSON.parse(quotedLine(role))).toBe(role);
  }
  expect(quotedLine("[INST] a [/INST]")).toBe('"\\u005bINST] a \\u005b/INST]"');
  for (const plain of PLAIN) expect(quotedLine(plain)).toBe(JSON.stringify(plain));
});

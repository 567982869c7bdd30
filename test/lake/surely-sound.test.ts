import fc from "fast-check";
import { expect, test } from "vitest";
import { StoredRecord } from "../../src/contract/service/unified-record.js";
import { RawItem } from "../../src/contract/slice/slice-item.js";
import { jsonFault } from "../../src/slice/json-fault.js";
import { hasSurelySoundKeys, isSurelySoundRecord } from "../../src/slice/surely-sound.js";
import { ANY_CHARACTER } from "../support/any-character.js";

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    "x",
    -1,
    0.5,
    Number.NaN,
    1e300,
    -0,
    2 ** 53,
    true,
    [],
    [1],
    {},
  ),
  fc.string({ unit: ANY_CHARACTER, maxLength: 5 }),
  fc.constantFrom(
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2024-02-29T00:00:00Z",
    "2026-04-31T10:00:00Z",
  ),
  fc.constantFrom(
    "2026-01-31T10:00:00.5+08:00",
    "2026-1-1T00:00:00Z",
    "2026-01-01T00:00:00",
    "0x1f",
    "0x",
    "EUR",
    "eur",
  ),
  fc.constantFrom<unknown>(
    { likes: 1 },
    { rating: 4.5 },
    { likes: 0.5 },
    { liked: 1 },
    { uid_hash: "" },
    { uid_hash: "a" },
  ),
  fc.constantFrom<unknown>(
    { current: 1, currency: "EUR" },
    { current: 1, currency: "EUR", drop_7d: -1 },
    { score: 1, label: "" },
  ),
  fc.constantFrom<unknown>(
    { hash: "0x1", ts: "2026-01-01T00:00:00Z" },
    { hash: "0x1", ts: "2026-01-01" },
    new Date(0),
    "\ud800",
  ),
  fc.dictionary(
    fc.oneof(
      fc.constantFrom("topic", "stock", "dur_s", "color_ways", "new_arrival", "__proto__"),
      fc.string({ maxLength: 3 }),
    ),
    fc.oneof(
      fc.constantFrom<unknown>(1, "a", ["a"], [1], null, -1, true),
      fc.string({ unit: ANY_CHARACTER, maxLength: 3 }),
    ),
    { maxKeys: 3 },
  ),
);
const RECORD = {
  id: "soc_for_1",
  src: "social",
  platform: "forum",
  lang: "en",
  text: "a",
  prov: { hash: "0x1", ts: "2026-01-01T00:00:00Z" },
};
const NAMES = [
  "author",
  "metrics",
  "comment_thread",
  "price",
  "review_sample",
  "sentiment",
  "entities",
  "extra",
  "title",
  "vec",
];
const RAW = {
  platform: "forum",
  resource: "post",
  id: "1",
  lang: "en",
  captured_at: "2026-01-01T00:00:00Z",
  score: 0,
};
const RAW_NAMES = ["parent", "reply_to", "author", "created_at", "offset_s", "other"];

/** Members set to anything, and one taken away. */
const changes = (names: readonly string[]) =>
  fc.tuple(
    fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 3 }),
    fc.option(fc.constantFrom(...names)),
  );
function changed(item: object, [set, gone]: readonly [object, string | null]): Record<string, unknown> {
  const next: Record<string, unknown> = { ...item, ...set };
  if (gone !== null) delete next[gone];
  return next;
}

test("what is surely sound is so by the schemas too, and most sound records are surely so", () => {
  let sure = 0;
  fc.assert(
    fc.property(changes([...Object.keys(RECORD), ...NAMES]), (change) => {
      const record = changed(RECORD, change);
      if (!isSurelySoundRecord(record)) return;
      sure++;
      expect(StoredRecord.safeParse(record).success).toBe(true);
      expect(jsonFault(record)).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
  expect(sure).toBeGreaterThan(50);
  expect(isSurelySoundRecord(RECORD)).toBe(true);
});

test("so are the keys of raw items", () => {
  fc.assert(
    fc.property(changes([...Object.keys(RAW), ...RAW_NAMES]), (change) => {
      const item = changed(RAW, change);
      if (!hasSurelySoundKeys(item)) return;
      expect(RawItem.omit({ data: true }).safeParse(item).success).toBe(true);
      expect(jsonFault(item)).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
  expect(hasSurelySoundKeys(RAW)).toBe(true);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { Domain } from "../../src/contract/service/platforms.js";
import {
  endMs,
  Freshness,
  startMs,
  text,
  uniqueItems,
  windowMs,
} from "../../src/contract/service/shared-params.js";

const params = (id: string) => CATALOGUE.find((endpoint) => endpoint.id === id)!.params;
const accepts = (id: string, value: unknown) => params(id).safeParse(value).success;

describe("freshness", () => {
  test("takes every window from 1h to 90d and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.constantFrom("h", "d"), (n, unit) => {
        const hours = unit === "h" ? n : n * 24;
        expect(Freshness.safeParse(`${n}${unit}`).success).toBe(hours >= 1 && hours <= 2160);
      }),
    );
  });

  test("takes no text of another shape", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        fc.pre(!/^[0-9]+(h|d)$/.test(value));
        expect(Freshness.safeParse(value).success).toBe(false);
        expect(windowMs(value)).toBeNaN();
      }),
    );
    for (const value of ["24", "h", "24H", "1.5h", "-1d", "24h ", " 24h", "24h\n", "1w", "９0d", "1e1h"]) {
      expect(Freshness.safeParse(value).success, JSON.stringify(value)).toBe(false);
    }
  });

  test("says which rule a window breaks", () => {
    expect(Freshness.safeParse("91d").error?.issues.map(({ message }) => message)).toEqual([
      "must be from 1h to 90d",
    ]);
    expect(Freshness.safeParse("week").error?.issues).toHaveLength(1);
  });

  test("windows are milliseconds", () => {
    expect(windowMs("1h")).toBe(3_600_000);
    expect(windowMs("90d")).toBe(90 * 86_400_000);
  });
});

describe("text", () => {
  test("counts characters, not code units", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 0, max: 20 }),
        (value, max) => {
          const characters = [...value].length;
          expect(text(1, max).safeParse(value).success).toBe(characters >= 1 && characters <= max);
        },
      ),
    );
  });

  test("a query has 1 to 500 characters", () => {
    expect(accepts("search", { query: "" })).toBe(false);
    expect(accepts("search", { query: "a" })).toBe(true);
    expect(accepts("search", { query: "😀".repeat(500) })).toBe(true);
    expect(accepts("search", { query: "😀".repeat(501) })).toBe(false);
    expect(accepts("search", { query: "a".repeat(501) })).toBe(false);
  });
});

test("lists of unique items refuse a repetition", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("social", "ecommerce", "web")), (domains) => {
      expect(uniqueItems(Domain).safeParse(domains).success).toBe(new Set(domains).size === domains.length);
    }),
  );
});

describe("windows of days and instants", () => {
  test("a day is its first millisecond to its last, in UTC", () => {
    expect(endMs("2026-02-28") - startMs("2026-02-28")).toBe(86_400_000 - 1);
    expect(endMs("2026-02-28") + 1).toBe(startMs("2026-03-01"));
  });

  test("an instant is itself", () => {
    expect(endMs("2026-05-29T08:00:00+08:00")).toBe(startMs("2026-05-29T00:00:00Z"));
  });

  test("one that ends before it starts is refused, at `to`", () => {
    const parsed = params("datasets.slices").safeParse({ from: "2026-06-02", to: "2026-06-01" });
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([["to"]]);
    expect(accepts("datasets.slices", { from: "2026-06-01", to: "2026-06-01" })).toBe(true);
  });

  test.each(["2026-13-01", "2026-02-30", "yesterday", "2026-06-01T00:00:00", "2026-06-01T25:00:00Z", "1"])(
    "%s is refused",
    (value) => {
      expect(accepts("datasets.slices", { from: value })).toBe(false);
    },
  );
});

describe("specified parameters", () => {
  test("search has the defaults of section 4.1", () => {
    expect(params("search").parse({ query: "手机" })).toEqual({
      query: "手机",
      freshness: "24h",
      format: "vectors+provenance",
      limit: 20,
    });
  });

  test.each([
    [{}],
    [{ query: 5 }],
    [{ query: "a", domains: ["social", "social"] }],
    [{ query: "a", domains: ["news"] }],
    [{ query: "a", platforms: ["forum", "forum"] }],
    [{ query: "a", platforms: "forum" }],
    [{ query: "a", format: "vectors" }],
    [{ query: "a", limit: 0 }],
    [{ query: "a", limit: 101 }],
    [{ query: "a", limit: 1.5 }],
    [{ query: "a", limit: "20" }],
    [{ query: "a", freshness: "91d" }],
    [{ query: "a", lang: "en" }],
    [{ query: "a", freshness: null }],
  ])("search refuses %j", (value) => {
    expect(accepts("search", value)).toBe(false);
  });

  test("an item id has 15 to 20 digits", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{1,25}$/), (item_id) => {
        const fits = item_id.length >= 15 && item_id.length <= 20;
        expect(accepts("raw.short-video.video", { item_id })).toBe(fits);
        expect(accepts("raw.short-video.comments", { item_id })).toBe(fits);
      }),
    );
    expect(accepts("raw.short-video.video", { item_id: 730123456789012 })).toBe(false);
    expect(accepts("raw.short-video.video", { item_id: "730123456789012\n" })).toBe(false);
  });

  test("comments are paged from 0, 1 to 50 a page, 20 by default", () => {
    const item_id = "730123456789012";
    expect(params("raw.short-video.comments").parse({ item_id })).toEqual({ item_id, cursor: 0, count: 20 });
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 60 }), fc.integer({ min: -5, max: 1000 }), (count, cursor) => {
        expect(accepts("raw.short-video.comments", { item_id, count, cursor })).toBe(
          count >= 1 && count <= 50 && cursor >= 0,
        );
      }),
    );
  });
});

test("words and an order exclude each other in lists of records", () => {
  expect(accepts("raw.forum.posts", { q: "garden" })).toBe(true);
  expect(accepts("raw.forum.posts", { sort: "likes" })).toBe(true);
  expect(accepts("raw.forum.posts", { q: "garden", sort: "likes" })).toBe(false);
});

import { describe, expect, test } from "vitest";
import { formatUsd } from "../../src/contract/money.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { OPERATIONS } from "../../src/contract/service/operations.js";
import { PLATFORMS } from "../../src/contract/service/platforms.js";
import { HANDLERS } from "../../src/endpoints/handlers.js";

const row = (id: string) => CATALOGUE.find((endpoint) => endpoint.id === id)!;

describe("catalogue", () => {
  test("has an id and a method and path of its own for each endpoint", () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
    expect(new Set(CATALOGUE.map(({ method, path }) => `${method} ${path}`)).size).toBe(CATALOGUE.length);
  });

  test("cannot be changed by one of the programs' parts that share it", () => {
    const rows = CATALOGUE as unknown as { price: bigint; options: Record<string, unknown> }[];
    expect(() => rows.push(rows[0]!)).toThrow(TypeError);
    for (const row of rows) {
      expect(() => {
        row.price = 0n;
      }).toThrow(TypeError);
      expect(() => {
        row.options.sorts = [];
      }).toThrow(TypeError);
    }
    expect(CATALOGUE.every(({ example = {} }) => Object.values(example).every(Object.isFrozen))).toBe(true);
    expect(formatUsd(row("search").price)).toBe("0.004000");
  });

  test("has the platform groups of service.md section 1", () => {
    const platforms = (group: string) =>
      new Set(CATALOGUE.filter((endpoint) => endpoint.group === group).map(({ platform }) => platform)).size;
    expect(
      Object.fromEntries([...new Set(CATALOGUE.map(({ group }) => group))].map((g) => [g, platforms(g)])),
    ).toEqual({
      search: 1,
      "short-video": 2,
      "video-community": 2,
      "creator-marketplace": 2,
      forum: 1,
      "lifestyle-notes": 1,
      "international-short-video": 1,
      microblog: 1,
      "sea-marketplace": 1,
      "global-marketplace": 1,
      "travel-marketplace": 1,
      "global-news": 1,
      "brand-marketing": 2,
      datasets: 1,
      account: 1,
    });
  });

  test.each(CATALOGUE.map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s is well formed",
    (_id, endpoint) => {
      expect(endpoint.path).toMatch(/^\/v1(\/[a-z0-9-]+)+$/);
      expect(endpoint.scope).toMatch(/^(search|datasets|account|raw:[a-z0-9-]+)$/);
      expect(endpoint.capPerSecond).toBeGreaterThan(0);
      expect(HANDLERS[endpoint.operation as keyof typeof HANDLERS]).toBeTypeOf("function");
      expect(
        OPERATIONS[endpoint.operation as keyof typeof OPERATIONS].safeParse(endpoint.options).error,
      ).toBeUndefined();
      expect(endpoint.params.safeParse({ ...endpoint.example, no_such_parameter: 1 }).success).toBe(false);
      if (endpoint.example !== undefined) {
        expect(endpoint.params.safeParse(endpoint.example).error).toBeUndefined();
      }
      if (endpoint.platform !== undefined) {
        expect(PLATFORMS.map(({ slug }) => slug)).toContain(endpoint.platform);
        expect(endpoint.id).toBe(`raw.${endpoint.platform}.${endpoint.resource}`);
        expect(endpoint.path).toBe(`/v1/raw/${endpoint.platform}/${endpoint.resource}`);
        expect(endpoint.scope).toBe(`raw:${endpoint.platform}`);
      }
    },
  );

  test("names a parameter in its options only where it has it", () => {
    for (const endpoint of CATALOGUE) {
      for (const key of ["id", "parent", "author", "reply_to"]) {
        const name = endpoint.options[key];
        if (typeof name === "string") expect(Object.keys(endpoint.params.shape), endpoint.id).toContain(name);
      }
    }
  });

  test("section 4.1: search", () => {
    const search = row("search");
    expect(search).toMatchObject({
      method: "POST",
      path: "/v1/search",
      scope: "search",
      availability: "coming_soon",
      maturity: "beta",
      freeEligible: true,
      capPerSecond: 100,
      label: "specified",
    });
    expect(formatUsd(search.price)).toBe("0.004000");
  });

  test("section 4.2: raw video and comments", () => {
    expect(row("raw.short-video.video")).toMatchObject({
      method: "GET",
      availability: "live",
      maturity: "beta",
      freeEligible: true,
      capPerSecond: 5,
      label: "specified",
    });
    expect(row("raw.short-video.comments")).toMatchObject({
      method: "GET",
      freeEligible: false,
      label: "specified",
    });
    expect(formatUsd(row("raw.short-video.video").price)).toBe("0.001500");
    expect(formatUsd(row("raw.short-video.comments").price)).toBe("0.001500");
  });

  test("only search and raw video are free-eligible", () => {
    expect(CATALOGUE.filter(({ freeEligible }) => freeEligible).map(({ id }) => id)).toEqual([
      "search",
      "raw.short-video.video",
    ]);
  });

  test("what is not stated has the assumed price and cap", () => {
    for (const endpoint of CATALOGUE.filter(({ label }) => label === "assumed")) {
      expect(formatUsd(endpoint.price), endpoint.id).toBe(
        endpoint.platform === undefined ? "0.000000" : "0.001500",
      );
      expect(endpoint.capPerSecond, endpoint.id).toBe(20);
    }
  });
});

import { describe, expect, it } from "vitest";
import { MappingError } from "../../src/contract/errors.js";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { shippedAdapters } from "../../src/ingest/adapters/shipped.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { golden } from "./support.js";

const GOOD = {
  mapping: 1,
  name: "notes",
  info: { title: "Notes", licence: "MIT" },
  sources: [{ name: "notes", files: ["*.jsonl"] }],
  rules: [
    {
      from: "notes",
      record: {
        platform: "forum",
        id: "id",
        captured_at: "at",
        fields: { text: "body" } as Record<string, unknown>,
      },
    },
  ],
};

/** The good mapping with one place of it replaced; undefined takes it out. */
function broken(path: string, value: unknown): unknown {
  const document = structuredClone(GOOD) as unknown as Record<string, unknown>;
  const keys = path.match(/[^.[\]]+/g)!;
  let at = document;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  if (value === undefined) delete at[keys.at(-1)!];
  else at[keys.at(-1)!] = value;
  return document;
}

const field = (value: unknown) => broken("rules[0].record.fields", { text: value });

describe("a broken mapping is refused by place and rule", () => {
  it("and a good one is not", () => expect(compileMapping(GOOD).name).toBe("notes"));

  it.each([
    ["the version", broken("mapping", 2), /^mapping: must be 1/],
    ["the name", broken("name", "My Notes"), /^name: must be lower-case/],
    ["the licence", broken("info.licence", undefined), /^info\.licence: is missing$/],
    [
      "a name that is nearly the licence's",
      broken("info", { title: "Notes", license: "MIT" }),
      /^info\.licence: is missing; is "license" meant for it\?$/,
    ],
    ["no sources", broken("sources", []), /^sources: must have at least 1 item$/],
    [
      "a text for a list",
      broken("sources[0].files", "*.csv"),
      /^sources\[0\]\.files: must be an array, not "\*\.csv"$/,
    ],
    ["a document that is a list", [], /^the mapping: must be an object, not /],
    ["an unknown key", broken("rulez", []), /^the mapping: has no key "rulez"; did you mean "rules"\?$/],
    [
      "an unknown key of a rule",
      broken("rules[0].record.feilds", {}),
      /^rules\[0\]\.record: has no key "feilds"; did you mean "fields"\?$/,
    ],
    [
      "an unknown format",
      broken("sources[0].read", { as: "ndjson" }),
      /^sources\[0\]\.read\.as: must be one of jsonl, json, csv, parquet, lines, not "ndjson"$/,
    ],
    [
      "an unknown type",
      field({ path: "a", type: "int" }),
      /^rules\[0\]\.record\.fields\.text\.type: must be one of string, integer, .*, not "int"$/,
    ],
    ["an unknown source", broken("rules[0].from", "posts"), /^rules\[0\]\.from: names no source/],
    [
      "an unknown platform",
      broken("rules[0].record.platform", "weblog"),
      /^rules\[0\]\.record\.platform: is neither a shipped platform nor one of/,
    ],
    [
      "no platform",
      broken("rules[0].record.platform", undefined),
      /^rules\[0\]\.record\.platform: is missing/,
    ],
    [
      "an unknown field",
      broken("rules[0].record.fields", { body: "x" }),
      /^rules\[0\]\.record\.fields\.body: is not a field/,
    ],
    [
      "an unknown metric",
      broken("rules[0].record.fields", { "metrics.claps": "x" }),
      /^rules\[0\]\.record\.fields\["metrics\.claps"\]: is not a metric; those of social are: likes/,
    ],
    ["a bad path", field("a..b"), /^rules\[0\]\.record\.fields\.text\.path: "a\.\.b" is not a source path/],
    ["a number as value", field(3), /^rules\[0\]\.record\.fields\.text: must be a source path or an object/],
    [
      "no origin",
      field({ type: "string" }),
      /^rules\[0\]\.record\.fields\.text: needs exactly one of path, value/,
    ],
    [
      "two origins",
      field({ path: "a", value: 1 }),
      /^rules\[0\]\.record\.fields\.text: needs exactly one of/,
    ],
    ["an unknown option", field({ path: "a", tyme: "iso" }), /^rules\[0\]\.record\.fields\.text: .*tyme/],
    ["a wrong type", field({ path: "a", round: -1 }), /^rules\[0\]\.record\.fields\.text\.round: /],
    ["an unknown type", field({ path: "a", type: "date" }), /^rules\[0\]\.record\.fields\.text\.type: /],
    ["a bad time format", field({ path: "a", time: "YYYY" }), /\.text\.time: "YYYY" is not a time format/],
    ["a bad zone", field({ path: "a", time: "iso", zone: "Mars" }), /\.text\.zone: is not a time zone/],
    [
      "a zone without time",
      field({ path: "a", zone: "UTC" }),
      /\.text: zone, year_from, year_to and ago_from need time/,
    ],
    ["no year", field({ path: "a", time: "MM-dd" }), /\.text\.time: a format without a year needs year_from/],
    ["a bad pattern", field({ path: "a", match: "(" }), /\.text\.match: is not a regular expression/],
    ["else without map", field({ path: "a", else: "x" }), /\.text: else needs map/],
    [
      "bands without end",
      field({ path: "a", bands: [{ below: 1, is: "x" }] }),
      /\.text: every band but the last/,
    ],
    [
      "bands out of order",
      field({ path: "a", bands: [{ below: 5, is: "x" }, { below: 1, is: "y" }, { is: "z" }] }),
      /\.text\.bands\[1\]\.below: below 1 comes after below 5/,
    ],
    [
      "a band twice",
      field({ path: "a", bands: [{ below: 5, is: "x" }, { below: 5, is: "y" }, { is: "z" }] }),
      /\.text\.bands\[1\]\.below: below 5 comes after below 5/,
    ],
    ["an unclosed template", field({ template: "{a" }), /\.text\.template: has a brace/],
    ["a template that is closed only", field({ template: "{a}-b}" }), /\.text\.template: has a brace/],
    ["a template without a name", field({ template: "x{}" }), /\.text\.template: has a brace/],
    ["same separators", field({ path: "a", decimal: ".", thousands: "." }), /\.text: thousands and decimal/],
    [
      "an empty condition",
      broken("rules[0].when", [{ path: "a" }]),
      /^rules\[0\]\.when\[0\]: needs one of is/,
    ],
    [
      "a vector without model",
      broken("rules[0].record.vector", { path: "v" }),
      /^info\.vectorModel: is required/,
    ],
    [
      "a rule that makes nothing",
      broken("rules[0].record", undefined),
      /^rules\[0\]: needs a record, raw items or a group/,
    ],
    [
      "a resource",
      broken("rules[0].raw", [{ resource: "X", id: "a" }]),
      /^rules\[0\]\.raw\[0\]\.resource: must be/,
    ],
    [
      "a group without items",
      broken("rules[0].group", { by: ["a"], fields: {} }),
      /^rules\[0\]\.group: needs a record or raw items/,
    ],
    [
      "two aggregates in one",
      broken("rules[0].group", { by: ["a"], fields: { x: { first: "a", last: "b" } } }),
      /^rules\[0\]\.group\.fields\.x: needs exactly one of first, last/,
    ],
    [
      "limit of a sum",
      broken("rules[0].group", { by: ["a"], fields: { x: { sum: "a", limit: 3 } } }),
      /^rules\[0\]\.group\.fields\.x: limit, top_by and unique belong to collect/,
    ],
    ["a document that is no object", "notes", /^the mapping: /],
  ])("%s", (_, document, message) => {
    expect(() => compileMapping(document)).toThrow(MappingError);
    expect(() => compileMapping(document)).toThrow(message);
  });
});

describe("adapters by name or file", () => {
  it("all that ship compile, under names of their own", () => {
    const names = shippedAdapters().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it("loads by name and by file, and says what is wrong with others", async () => {
    expect((await loadAdapter("beir")).name).toBe("beir");
    expect((await loadAdapter(golden("forum/mapping.json"))).name).toBe("forum-notes");
    await expect(loadAdapter("bear")).rejects.toMatchObject({
      code: "unknown_adapter",
      value: "bear",
      remedy: expect.stringContaining("beir"),
    });
    await expect(loadAdapter("nowhere.json")).rejects.toMatchObject({ code: "unreadable_mapping" });
  });
});

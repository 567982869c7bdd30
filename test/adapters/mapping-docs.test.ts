import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  Aggregate,
  Condition,
  GroupSpec,
  Mapping,
  RawSpec,
  RecordSpec,
  Rule,
} from "../../src/ingest/mapping/form/schema.js";
import { ValueSpec } from "../../src/ingest/mapping/form/value-spec.js";

const DOCS = readFileSync(fileURLToPath(new URL("../../docs/data.md", import.meta.url)), "utf8");

const { shape } = Mapping;
const value = ValueSpec.options[1];

describe("the reference of mapping files", () => {
  it.each([
    ["the document", Object.keys(shape)],
    ["its sources", Object.keys(shape.sources.element.shape)],
    ["its defaults", Object.keys(shape.defaults.unwrap().shape)],
    ["rules", Object.keys(Rule.shape)],
    ["conditions", Object.keys(Condition.shape)],
    ["records", Object.keys(RecordSpec.shape)],
    ["raw items", Object.keys(RawSpec.shape)],
    ["groups", Object.keys(GroupSpec.shape)],
    ["aggregates", Object.keys(Aggregate.shape)],
    ["values", Object.keys(value.shape)],
  ])("names every key of %s", (_, keys) => {
    const missing = keys.filter((key) => !new RegExp(`[\`"*]${key}[\`"*]`).test(DOCS));
    expect(missing).toEqual([]);
  });
});

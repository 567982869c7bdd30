import { expect, it } from "vitest";
import { EXPLAINED, explainShape } from "../../src/ingest/explain-shape.js";
import { capture } from "../cli/capture.js";

it.each(EXPLAINED)("explains every field of %s", (resource) => {
  const { meaning, fields } = explainShape(resource);
  expect(meaning).not.toBe("");
  expect(fields.length).toBeGreaterThan(2);
  expect(fields.filter((field) => field.meaning === "").map(({ name }) => name)).toEqual([]);
});

it("says what a comment needs and why", () => {
  const fields = new Map(explainShape("comment").fields.map((field) => [field.name, field]));
  expect(fields.get("likes")).toMatchObject({ type: "integer ≥ 0", required: false });
  expect(fields.get("likes")?.meaning).toContain("NULL in SQL");
  expect(fields.get("ip_location")).toMatchObject({ type: "string", required: true });
  expect(fields.get("author.unique_id")).toMatchObject({ type: "string or null", required: true });
  expect(fields.get("created_at")).toMatchObject({ type: "instant" });
});

it("is printed by ingest --explain, as a table or as JSON", async () => {
  const { code, out } = await capture(["ingest", "--explain", "price"]);
  expect(code).toBe(0);
  expect(out).toMatch(/current +number ≥ 0 +yes +price in units/);
  const json = await capture(["ingest", "--explain", "price", "--json"]);
  expect(JSON.parse(json.out)).toEqual(explainShape("price"));
});

it("says what was probably meant", async () => {
  const { code, err } = await capture(["ingest", "--explain", "comments"]);
  expect(code).toBe(2);
  expect(err).toContain('did you mean "comment"?');
});

it("still asks for input, adapter and output without it", async () => {
  for (const [args, missing] of [
    [["ingest"], "input"],
    [["ingest", "x", "--out", "o"], "--adapter"],
    [["ingest", "x", "--adapter", "a.json"], "--out"],
  ] as const) {
    const { code, err } = await capture(args);
    expect(code).toBe(2);
    expect(err).toContain(missing);
  }
});

it("says of a record that extra takes names of one's own, and what they hold", () => {
  const { open, fields } = explainShape("record");
  expect(open).toBe(false);
  expect(fields.find(({ name }) => name === "extra.…")).toMatchObject({
    type: "string or number or boolean or list of string or number or boolean",
    required: false,
  });
});

it.each(["post", "product", "listing", "article", "campaign", "brand", "video"])(
  "says what %s needs of its record, and what fills it in",
  (resource) => {
    const filled = ["id", "src", "platform", "lang", "prov.hash", "prov.ts", "prov.source"];
    const fields = new Map(explainShape(resource).fields.map((field) => [field.name, field]));
    for (const name of filled) {
      expect(fields.get(name)).toMatchObject({ required: true });
      expect(fields.get(name)?.meaning).toContain('filled in by `"base": "record"`');
    }
    expect([...fields.keys()].filter((name) => name.startsWith("vec"))).toEqual([]);
  },
);

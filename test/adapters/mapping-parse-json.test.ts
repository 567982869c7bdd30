import { expect, test } from "vitest";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { convertValues, sortOut } from "./support.js";

const mapping = (parse_json: readonly string[], record: object) =>
  compileMapping({
    mapping: 1,
    name: "rows",
    info: { title: "Rows", licence: "CC0-1.0" },
    sources: [{ name: "rows", files: ["*"], parse_json }],
    defaults: { platform: "global-news", lang: { value: "en" } },
    rules: [{ from: "rows", record }],
  });

test("large integers of JSON text keep their digits", async () => {
  const adapter = mapping(["j"], { id: "j.id", fields: { title: "title" } });
  const { records } = sortOut(
    await convertValues(adapter, [
      { title: "a", j: '{"id":1801234567890123456}' },
      { title: "b", j: '{"id":1801234567890123457}' },
    ]),
  );
  expect(records.map(({ id }) => id)).toEqual(["web_gnw_1801234567890123456", "web_gnw_1801234567890123457"]);
});

test("JSON text that is nested too deep, or is none, rejects its row alone", async () => {
  const adapter = mapping(["j"], { id: "id", fields: { title: "title", "extra.n": "j[0].n" } });
  const converted = await convertValues(adapter, [
    { id: 1, title: "deep", j: "[".repeat(20_000) + "]".repeat(20_000) },
    { id: 2, title: "good", j: "[1]" },
    { id: 3, title: "none", j: "[1" },
    { id: 4, title: "as deep as it may be", j: "[".repeat(512) + "]".repeat(512) },
  ]);
  expect(converted.flatMap((one) => ("reject" in one ? [one.reject] : []))).toEqual([
    { file: "rows.jsonl", line: 1, field: "j", reason: "is nested deeper than 512 levels", rows: 1 },
    { file: "rows.jsonl", line: 3, field: "j", reason: "is not JSON text", rows: 1 },
  ]);
});

test("JSON text at a path is parsed in its place, and the rows given stay as they are", async () => {
  const adapter = mapping(["payload.json", "parts[].json", 'more["a.b"][0]', "named.1"], {
    id: "id",
    fields: {
      title: "title",
      "extra.in_place": "payload.json.n",
      "extra.beside": "payload.other",
      "extra.each": "parts[].json.n",
      "extra.element": 'more["a.b"][0].n',
      "extra.by_name": "named[1].n",
      "extra.new_member": '["payload.json"].n',
    },
  });
  const row = {
    id: 1,
    title: "a",
    payload: { json: '{"n":5}', other: "kept" },
    parts: [{ json: '{"n":6}' }, { json: '{"n":7}' }],
    named: [1, '{"n":9}'],
    more: { "a.b": ['{"n":8}'] },
  };
  const before = structuredClone(row);
  const { records } = sortOut(await convertValues(adapter, [row]));
  expect(records[0]!.extra).toEqual({ in_place: 5, beside: "kept", each: [6, 7], element: 8, by_name: 9 });
  expect(row).toEqual(before);
});

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawShape } from "../../src/contract/service/raw-shapes.js";
import { openLake } from "../../src/index.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { capture } from "../cli/capture.js";
import { Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const mappingOf = (fields: Readonly<Record<string, string>>) => ({
  mapping: 1,
  name: "rows",
  info: { title: "Rows", licence: "CC0-1.0" },
  sources: [{ name: "rows", files: ["*.jsonl"] }],
  defaults: { platform: "global-news", lang: { value: "en" } },
  rules: [
    {
      from: "rows",
      record: { id: "id", fields: { text: "text", ...fields } },
      raw: [{ resource: "constructor", id: "id", data: { by: "constructor" } }],
    },
  ],
});

describe("names that every object inherits", () => {
  it("are names like others in data", { tags: "slow" }, async () => {
    await scratch.write("in/rows.jsonl", '{"id":"1","text":"A bridge opens","constructor":"Ada"}\n');
    await scratch.write("map.json", JSON.stringify(mappingOf({ "extra.constructor": "constructor" })));
    const command = async (...args: string[]) => {
      const { err, code } = await capture(args, { cwd: scratch.dir });
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    };
    const salt = ["--captured-at", "2026-05-27T08:00:00Z", "--author-salt", "a salt of this test"];
    await command("ingest", "in", "--adapter", "map.json", "--out", "out", ...salt);
    await command("install", "out", "--lake", "lake");
    await command("verify", "--lake", "lake");
    const lake = await openLake(join(scratch.dir, "lake"), { account: "memory" });
    try {
      const { data } = await lake.search({ query: "bridge", freshness: "90d" });
      expect(data[0]!.extra).toMatchObject({ constructor: "Ada" });
      const { items } = (await lake.slices({})).data;
      expect(items[0]!.mirrorlake.counts).toMatchObject({ records: 1, raw: 1 });
    } finally {
      await lake.close();
    }
    expect(rawShape("global-news", "constructor")).toBeUndefined();
  });

  it("are refused where they would change the object instead of naming a member", () => {
    expect(() => compileMapping(mappingOf({ "extra.__proto__": "text" }))).toThrow(
      'rules[0].record.fields["extra.__proto__"]: is not a field of the unified record',
    );
  });
});

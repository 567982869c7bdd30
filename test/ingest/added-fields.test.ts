import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import { capture } from "../cli/capture.js";
import { rowsMapping, Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const mapping = (fields: object, more: object = {}, rule: object = {}) =>
  scratch.write(
    "map.json",
    rowsMapping(
      [{ from: "rows", ...rule, record: { id: { hash: ["$"] }, fields } }],
      [{ name: "rows", files: ["*.csv", "*.jsonl"], ...more }],
    ),
  );

async function warnings(): Promise<IngestReport["warnings"]> {
  const args = [
    "--adapter",
    "map.json",
    "--captured-at",
    "2026-05-27T08:00:00Z",
    "--author-salt",
    "a salt of this test",
  ];
  const { out, code } = await capture(["ingest", "in", ...args, "--out", "out", "--replace", "--json"], {
    cwd: scratch.dir,
  });
  expect(code).toBe(0);
  return (JSON.parse(out) as IngestReport).warnings;
}

describe("fields that later files add", () => {
  it("are named, if no rule takes them", async () => {
    await mapping({ text: "body", title: { template: "{head}: {place}" } });
    await scratch.write("in/a.csv", "body,head,place,note\nThe bridge opens,News,Here,x\n");
    expect(await warnings()).toEqual([]);
    await scratch.write(
      "in/b.csv",
      "body,head,place,note,tags,author.name,by\nThe bridge is open,News,Here,x,a,b,c\n",
    );
    await scratch.write("in/c.jsonl", '{"body":"It is shut","head":"News","place":"Here","by":"c","km":3}\n');
    expect(await warnings()).toEqual([
      {
        kind: "field_added",
        field: "left_out",
        place: "sources[0]",
        value: "b.csv",
        rows: 0,
        names: ["tags", "author.name", "by"],
        message:
          "sources[0]: b.csv has 3 fields that no rule takes and a.csv has not: tags, author.name, by; map them, or list them in left_out",
      },
      expect.objectContaining({ value: "c.jsonl", names: ["km"] }),
    ]);
    await mapping(
      { text: "body", title: "head" },
      { left_out: ["place", "note", "tags", "author.name", "by", "km"] },
    );
    expect(await warnings()).toEqual([]);
  });

  it("are known by what a guess leaves out, in a run of later files alone", async () => {
    const first = await scratch.write(
      "first.csv",
      "id,text,likes,e-mail\na1,The bridge opens on Monday,3,ann@example.com\na2,The bridge is open now,4,bob@example.com\n",
    );
    const guessed = await guessMapping(first);
    expect(guessed.mapping.sources[0]!.left_out).toEqual(["e-mail"]);
    await scratch.write("map.json", JSON.stringify(guessed.mapping));
    await scratch.write(
      "in/later.csv",
      "id,text,likes,e-mail,shares\na3,The bridge is shut again,3,ann@example.com,9\n",
    );
    expect((await warnings()).map(({ message }) => message)).toEqual([
      "sources[0]: later.csv has 1 field that the mapping neither names nor leaves out: shares; map it, or list it in left_out",
    ]);
  });

  it("are no loss where the whole row is kept", async () => {
    await mapping(
      { text: "body" },
      {},
      { raw: [{ resource: "note", id: "body", data: { all: { path: "$", type: "json" } } }] },
    );
    await scratch.write("in/a.csv", "body\nThe bridge opens\n");
    await scratch.write("in/b.csv", "body,more\nThe bridge is open,1\n");
    expect(await warnings()).toEqual([]);
  });
});

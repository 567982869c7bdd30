import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GuessedMapping, guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import { parseTimeFormat } from "../../src/ingest/values/time-format.js";
import { parseZone } from "../../src/ingest/values/zone.js";
import { capture } from "../cli/capture.js";
import { Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const WORDS = "The new bridge over the river opens on Monday and nobody has to pay";
const recordOf = ({ mapping }: GuessedMapping) => mapping.rules[0]!.record!;

describe("what a guess makes of the cells of a table", () => {
  it("reads JSON in them where it is a text, a number or a list of these", async () => {
    const cells = (n: number) =>
      [
        `c${n}x`,
        WORDS,
        `"""2024-01-1${n}T13:41:08.000Z"""`,
        n === 0 ? '"null"' : `"[""bridge"",""river ${n}""]"`,
        `"[{""name"":""size"",""value"":${n}}]"`,
        n === 1 ? "null" : `${n}.50`,
        n === 2 ? "N/A" : n,
        "null",
      ].join(",");
    const rows = [0, 1, 2, 3].map((n) => `${cells(n)}\n`).join("");
    const path = await scratch.write(
      "rows.csv",
      `comment_id,text,date_created,hashtags,specification,price,likes,blank\n${rows}`,
    );
    const guessed = await guessMapping(path);
    expect(guessed.mapping.sources[0]!.parse_json).toEqual(["date_created", "hashtags"]);
    expect(recordOf(guessed).fields).toMatchObject({
      "extra.published_at": { path: "date_created", time: "iso" },
      "extra.hashtags": "hashtags",
      "extra.specification": "specification",
      "price.current": { path: "price", absent: ["null"] },
    });
    expect(guessed.leftOut).toContainEqual({ path: "blank", reason: "empty in every row looked at" });

    await scratch.write("guess.json", JSON.stringify(guessed.mapping));
    const args = ["--captured-at", "2026-05-27T08:00:00Z", "--out", "out", "--preview", "4", "--json"];
    const { out } = await capture(["ingest", "rows.csv", "--adapter", "guess.json", ...args], {
      cwd: scratch.dir,
    });
    expect(out).toContain('"hashtags":["bridge","river 3"]'.replace(/([:,])/g, "$1")); // a list, not its text
    expect(out).toMatch(/"published_at": ?"2024-01-13T13:41:08/);
    expect(out).not.toContain('"null"');
  });
});

describe("HTML in texts", () => {
  const htmlOf = async (make: (n: number) => string) => {
    const rows = Array.from(
      { length: 8 },
      (_, n) => `${JSON.stringify({ id: `h${n}x`, text: make(n) })}\n`,
    ).join("");
    return recordOf(await guessMapping(await scratch.write("rows.jsonl", rows))).fields!.text;
  };

  it("is decoded, but not in Markdown, whose code has what only looks like it", async () => {
    const traced = (n: number) => `File "auth.py", line ${n}, in <module> of a List<int> that is not there`;
    expect(await htmlOf((n) => (n === 0 ? `${WORDS}<br>see <b>there</b>` : traced(n)))).toBe("text");
    expect(await htmlOf((n) => (n === 0 ? `${WORDS}<br>see <b>there</b>` : WORDS + n))).toEqual({
      path: "text",
      html: "text",
    });
    expect(await htmlOf((n) => `<p>${traced(n)}</p>`)).toEqual({ path: "text", html: "text" });
  });
});

describe("a document of several lists", () => {
  it("has the rows of one read, and the others named", async () => {
    const games = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ player: `Player ${i}`, text: WORDS }));
    const document = {
      updated: "now",
      "a @ b": games(3),
      "c @ d": games(5),
      inner: { e: games(2) },
      tags: ["x"],
    };
    const guessed = await guessMapping(await scratch.write("games.json", JSON.stringify(document)));
    expect(guessed.mapping.sources[0]!.read).toMatchObject({ rows: "c @ d" });
    expect(guessed.doubts).toContain(
      "rows: c @ d is read; 2 other lists of objects are not (a @ b with 3, inner.e with 2): a source for each reads them, too",
    );
    const one = await guessMapping(
      await scratch.write("one.json", JSON.stringify({ items: games(5), tags: ["x"] })),
    );
    expect(one.doubts.join("\n")).not.toContain("is read;");
  });
});

describe("times as feeds, spreadsheets and programs write them", () => {
  const utc = parseZone("UTC")!;
  it.each([
    ["rfc2822", "Tue, 10 Jun 2003 04:00:00 GMT", "2003-06-10T04:00:00.000Z"],
    ["rfc2822", "Tue, 3 Jun 2008 11:05:30 +0200", "2008-06-03T09:05:30.000Z"],
    ["rfc2822", "10 Jun 2003 04:00 EST", "2003-06-10T09:00:00.000Z"],
    ["rfc2822", "Tue, 10 Jun 03 04:00:00 Z", "2003-06-10T04:00:00.000Z"],
    ["rfc2822", "Tue, 31 Jun 2003 04:00:00 GMT", undefined],
    ["rfc2822", "Tue, 10 Jun 2003 04:00:00 XYZ", undefined],
    ["iso", "2024-05-21 12:40:51 UTC", "2024-05-21T12:40:51.000Z"],
    ["MMMM d, yyyy", "September 3, 2021", "2021-09-03T00:00:00.000Z"],
    ["d MMMM yyyy", "3 may 2021", "2021-05-03T00:00:00.000Z"],
    ["M/d/yyyy h:mm a", "11/3/2019 4:05 PM", "2019-11-03T16:05:00.000Z"],
  ])("%s reads %s", (format, text, expected) => {
    const at = parseTimeFormat(format)!.parse(text, utc);
    expect(at && new Date(at.ms).toISOString()).toBe(expected);
  });

  it("are those of the row, not of who sells or wrote", async () => {
    const row = (n: number) => ({
      id: `a${n}x`,
      text: WORDS,
      seller_joined_date: "2020-01-01",
      user: { created_at: "2019-01-01" },
    });
    const rows = (make: (n: number) => object) => [1, 2, 3].map((n) => JSON.stringify(make(n))).join("\n");
    const without = await guessMapping(await scratch.write("rows.jsonl", rows(row)));
    expect(recordOf(without).fields).toMatchObject({ "extra.seller_joined_date": "seller_joined_date" });
    expect(without.doubts).toContain("captured_at: no field is a time; give --captured-at");
    const posted = await guessMapping(
      await scratch.write(
        "posted.jsonl",
        rows((n) => ({ ...row(n), date_posted: "2026-01-01" })),
      ),
    );
    expect(recordOf(posted).fields).toMatchObject({
      "extra.published_at": { path: "date_posted", time: "iso" },
    });
    expect(posted.doubts.join("\n")).not.toContain("nothing says");
  });

  it.each([
    ["Tue, 10 Jun 2003 04:00:00 GMT", "rfc2822"],
    ["11/23/2019", "M/d/yyyy"],
    ["23/11/2019", "dd/MM/yyyy"],
    ["3/11/2019 14:05", "M/d/yyyy H:mm"],
    ["March 3, 2021", "MMMM d, yyyy"],
    ["3 Mar 2021", "d MMM yyyy"],
    ["2024-05-21 12:40:51 UTC", "iso"],
    ["Tue Oct 19 2021 09:08:18 GMT+0000 (Coordinated Universal Time)", "EEE MMM dd yyyy HH:mm:ss 'GMT'xx"],
  ])("a guess reads %s", async (text, format) => {
    const rows = [1, 2, 3].map((n) => JSON.stringify({ id: `a${n}x`, text: WORDS, date: text })).join("\n");
    const guessed = await guessMapping(await scratch.write("rows.jsonl", rows));
    const { "extra.published_at": at } = recordOf(guessed).fields!;
    expect(at).toMatchObject({ path: "date", time: format });
  });
});

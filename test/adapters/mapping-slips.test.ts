import { describe, expect, it } from "vitest";
import { MappingError } from "../../src/contract/errors.js";
import { SHAPED_RESOURCES } from "../../src/contract/service/raw-shapes.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { decodeHtml } from "../../src/ingest/values/text.js";
import { convertValues, sortOut } from "./support.js";

const mapping = (resource: string, data: Record<string, unknown>) => ({
  mapping: 1,
  name: "threads",
  info: { title: "Threads", licence: "MIT" },
  sources: [{ name: "threads", files: ["*.jsonl"] }],
  defaults: { platform: "forum", lang: { value: "en" }, captured_at: { value: "2026-05-27T08:00:00Z" } },
  rules: [{ from: "threads", raw: [{ resource, id: "id", data }] }],
});
const refused = (document: unknown): MappingError => {
  try {
    compileMapping(document);
  } catch (error) {
    if (error instanceof MappingError) return error;
    throw error;
  }
  throw new Error("the mapping is accepted");
};
const rowsOf = async (document: unknown, rows: readonly object[]) =>
  sortOut(await convertValues(compileMapping(document), rows));

describe("marks of delimited text", () => {
  const read = (marks: object) => ({
    ...mapping("thing", {}),
    sources: [{ name: "threads", files: ["*.csv"], read: { as: "csv", ...marks } }],
  });

  it.each([
    ["delimiter", "¦"],
    ["delimiter", "\n"],
    ["quote", "“"],
  ])("are refused where %s is %j, which is not one byte of a line", (mark, is) => {
    const { message } = refused(read({ [mark]: is }));
    expect(message).toContain(`read.${mark}: must be a tab or a visible ASCII character`);
  });

  it("may be any other, a delimiter of up to four", () => {
    for (const delimiter of [",", "\t", "|", "^", " ", "::", "|~|", "<=>|"])
      compileMapping(read({ delimiter, quote: "'" }));
    for (const marks of [{ delimiter: "" }, { delimiter: "-----" }, { quote: "''" }])
      expect(refused(read(marks)).code).toBe("invalid_mapping");
  });
});

describe("a raw item that has the fields of a record", () => {
  it.each(["post", "product", "brand"])(
    "is rejected without them: the reason of %s names what fills them in",
    async (resource) => {
      const { rejects } = await rowsOf(mapping(resource, { text: "text" }), [{ id: "1", text: "A bridge" }]);
      expect(rejects).toMatchObject([{ line: 1, field: "data.id" }]);
      expect(rejects[0]!.reason).toContain('; "base": "record" fills in the fields of a record');
    },
  );

  it("is told what else is wrong with it alone", async () => {
    const { rejects } = await rowsOf(mapping("review", { text: "text" }), [{ id: "1", text: "A bridge" }]);
    expect(rejects).toMatchObject([{ field: "data.id", reason: "is missing" }]);
  });
});

describe("the resource of raw items", () => {
  it.each([
    ["comments", "comment"],
    ["reviews", "review"],
    ["prodct", "product"],
  ])("is refused where %s is nearly %s", (given, meant) => {
    const { message } = refused(mapping(given, {}));
    expect(message).toMatch(/^rules\[0\]\.raw\[0\]\.resource: is no resource of the service/);
    expect(message).toContain(`did you mean "${meant}"?`);
  });

  it("may be any of the service, or another name", () => {
    for (const name of [...SHAPED_RESOURCES, "poll", "live-stream"]) compileMapping(mapping(name, {}));
  });
});

describe("data of a raw item", () => {
  const whole = {
    cid: "id",
    text: { path: "body", html: "text" },
    likes: { value: 0 },
    ip_location: { value: "", keep_empty: true, default: "" },
    reply_count: { value: 0 },
    created_at: { value: "2026-05-01T00:00:00Z" },
    is_hot: { value: false },
    images: { value: [] },
    "author.uid_hash": { path: "id", author_hash: true },
    "author.nickname": { value: "" },
    "author.uid": { value: "" },
    "author.sec_uid": { value: "" },
    "author.unique_id": { value: null },
  };

  it("can be null or empty text, where a field has to be there", async () => {
    const { raw, rejects } = await rowsOf(mapping("comment", whole), [{ id: "1", body: "a &amp; b<br>c" }]);
    expect(rejects).toEqual([]);
    expect(raw("comment")[0]?.data).toMatchObject({
      text: "a & b\nc",
      ip_location: "",
      author: { nickname: "", uid: "", unique_id: null },
    });
  });

  it("cannot be null in a record", () => {
    const document = { ...mapping("comment", whole) };
    const rules = [{ from: "threads", record: { id: "id", fields: { text: { value: null } } } }];
    expect(refused({ ...document, rules }).message).toContain("leave the field out");
  });

  it("is refused with all that is missing at once", async () => {
    const { rejects } = await rowsOf(mapping("comment", { cid: "id", text: "body" }), [
      { id: "1", body: "x" },
    ]);
    // Numbers that are missing are unknown: see unknown-numbers.test.ts.
    const { likes: _, reply_count: _replies, ip_location: _first, cid: _cid, text: _text, ...others } = whole;
    expect(rejects[0]?.field).toBe("data.ip_location");
    expect(rejects[0]?.reason).not.toMatch(/data\.(likes|reply_count)/);
    for (const name of Object.keys(others))
      expect(rejects[0]?.reason).toContain(`data.${name.split(".")[0]}`);
  });
});

it("decodes HTML that a source left in its text", () => {
  expect(decodeHtml("caf&eacute; &#39;n&#x27; R&amp;D &lt;b&gt; AT&T", "entities")).toBe(
    "café 'n' R&D <b> AT&T",
  );
  expect(decodeHtml("<p>1 < 2 &amp; <a href='x'>so</a></p>I <3 it<!-- no --><br/>end", "text")).toBe(
    "1 < 2 & so\nI <3 it\nend",
  );
  expect(decodeHtml("<b>kept</b>", "entities")).toBe("<b>kept</b>");
});

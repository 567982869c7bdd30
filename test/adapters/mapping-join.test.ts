import { expect, test } from "vitest";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { convertValues, sortOut } from "./support.js";

const ADAPTER = compileMapping({
  mapping: 1,
  name: "rows",
  info: { title: "Rows", licence: "CC0-1.0" },
  sources: [
    { name: "posts", files: ["posts.*"] },
    {
      name: "comments",
      files: ["comments.*"],
      join: [{ source: "posts", on: "post_id", key: "id", fields: ["title"], as: "post" }],
    },
  ],
  defaults: { platform: "forum", lang: { value: "en" } },
  rules: [{ from: "comments", record: { id: "cid", fields: { text: "text", title: "post.title" } } }],
});

test("rows without a key are joined to none", async () => {
  const posts = [
    { title: "no key" },
    { id: null, title: "null" },
    { id: "", title: "empty" },
    { id: { $oid: "a" }, title: "object" },
    { id: [null], title: "list of null" },
    { id: [{ $oid: "a" }], title: "list of an object" },
    { id: Number.NaN, title: "no number" },
  ];
  const comments = posts.map(({ title, ...rest }, i) => {
    return { cid: i, text: `of ${title}`, ...("id" in rest ? { post_id: rest.id } : {}) };
  });
  const { records } = sortOut(await convertValues(ADAPTER, { posts, comments }));
  expect(records.map(({ title }) => title)).toEqual(posts.map(() => undefined));
});

test("keys are alike as text, whatever their type", async () => {
  const posts = [
    { id: 1, title: "One" },
    { id: "2", title: "Two" },
    { id: false, title: "No" },
    { id: ["a", 1], title: "A1" },
    { id: 9007199254740993n, title: "Big" },
  ];
  const keys = ["1", 2, "false", ["a", "1"], "9007199254740993"];
  const comments = keys.map((post_id, cid) => ({ cid, text: "t", post_id }));
  const { records } = sortOut(await convertValues(ADAPTER, { posts, comments }));
  expect(records.map(({ title }) => title)).toEqual(["One", "Two", "No", "A1", "Big"]);
});

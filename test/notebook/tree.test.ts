import { Int64, Table, TimestampMicrosecond, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCommentTree, type CommentLike, countNodes, walk } from "../../src/notebook/comment-tree.js";
import { visible } from "../../src/notebook/markup.js";
import { tree } from "../../src/notebook/tree.js";
import { runs } from "../support/campaign.js";
import { attribute, dangers, parsed, textsOf } from "./parsed.js";
import { anyText } from "./texts.js";

const comments: CommentLike[] = [
  {
    cid: "1",
    text: "first",
    likes: 8273,
    created_at: "2026-05-21T21:46:00+08:00",
    ip_location: "成都",
    is_hot: true,
  },
  { cid: "2", text: "second", reply_to: null, author: { nickname: "Ana" }, reply_count: 3 },
  { cid: "3", text: "to second", reply_to: "2", author_uid_hash: "788fa3f45a8cb2a0" },
  { cid: "4", text: "to third", reply_to: "3" },
  { cid: "3", text: "again", reply_to: "2" },
  { cid: "5", text: "to nobody", reply_to: "99" },
];

describe("comment trees", () => {
  test("replies stand under what they answer; what comes twice counts once", () => {
    const { roots, orphans } = buildCommentTree(comments);
    expect(roots.map(({ comment }) => comment.cid)).toEqual(["1", "2"]);
    expect([...walk(roots[1]!)].map(({ node, depth }) => [node.comment.text, depth])).toEqual([
      ["second", 0],
      ["to second", 1],
      ["to third", 2],
    ]);
    expect(orphans.map(({ comment }) => comment.cid)).toEqual(["5"]);
  });

  test("comments of an Arrow table, whose counts are bigints and whose times are milliseconds", () => {
    const arrow = new Table({
      cid: vectorFromArray(["1", "2"], new Utf8()),
      text: vectorFromArray(["first", "to first"], new Utf8()),
      reply_to: vectorFromArray([null, "1"], new Utf8()),
      likes: vectorFromArray([1n, 8273n], new Int64()),
      reply_count: vectorFromArray([3n, 0n], new Int64()),
      created_at: vectorFromArray([Date.UTC(2026, 4, 21, 13, 46), null], new TimestampMicrosecond()),
    });
    const html = tree(arrow).toHTML();
    expect(textsOf(html, ".ml-count")).toEqual(["1 like", "2026-05-21 13:46 UTC", "8,273 likes"]);
    expect(html).toContain("2 replies not here");
  });

  test("whatever answers whatever, every comment is in the tree exactly once", () => {
    const links = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 12 }), fc.option(fc.integer({ min: 0, max: 15 }))),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(links, (pairs) => {
        const list = pairs.map(([cid, to]) => ({
          cid: `${cid}`,
          text: "",
          reply_to: to === null ? null : `${to}`,
        }));
        const { roots, orphans } = buildCommentTree(list);
        const found = [...roots, ...orphans].flatMap((node) =>
          [...walk(node)].map((each) => each.node.comment.cid),
        );
        expect(found.sort()).toEqual([...new Set(list.map(({ cid }) => cid))].sort());
      }),
    );
  });

  test("nested replies and linked ones make the same tree", () => {
    const nested = [
      { cid: "a", text: "", replies: [{ cid: "b", text: "", replies: [{ cid: "c", text: "" }] }] },
    ];
    const linked = [
      { cid: "a", text: "" },
      { cid: "b", text: "", reply_to: "a" },
      { cid: "c", text: "", reply_to: "b" },
    ];
    const shape = (list: CommentLike[]) =>
      buildCommentTree(list).roots.map((root) =>
        [...walk(root)].map(({ node, depth }) => [node.comment.cid, depth]),
      );
    expect(shape(nested)).toEqual(shape(linked));
  });

  test("a conversation of 20,000 answers to answers is shown", { tags: "slow" }, () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => ({
      cid: `${i}`,
      text: `t${i}`,
      reply_to: i === 0 ? null : `${i - 1}`,
    }));
    expect(countNodes(buildCommentTree(chain).roots[0]!)).toBe(20_000);
    expect(textsOf(tree(chain).toHTML(), ".ml-said")).toHaveLength(20_000);
  });
});

describe("tree: what is shown", () => {
  test("who, likes, when, where, hot; which replies are missing; what has no place", () => {
    const view = tree(comments, { title: "Comments" }).toHTML();
    expect(textsOf(view, ".ml-who")).toEqual([
      "somebody8,273 likes2026-05-21 13:46 UTC成都hot",
      "Ana2 replies not here",
      "788fa3f4",
      "somebody",
      "somebody",
    ]);
    expect(textsOf(view, "summary")).toEqual([
      "2 replies",
      "1 reply",
      "1 reply to comments that are not here",
    ]);
    expect(textsOf(view, ".ml-note")).toEqual(["2 of 2 comments, 5 of 5 with replies"]);
  });

  test("levels beyond the open ones are closed", () => {
    const open = (levels: number) =>
      parsed(tree(comments.slice(0, 4), { openLevels: levels }).toHTML())
        .elements.filter(({ tagName }) => tagName === "details")
        .map((element) => element.attrs.some(({ name }) => name === "open"));
    expect(open(0)).toEqual([false, false]);
    expect(open(1)).toEqual([true, false]);
    expect(open(2)).toEqual([true, true]);
  });

  test("pages, answers, an answer with nothing", () => {
    expect(String(tree({ items: comments, cursor: 0 } as never))).toContain(
      "Ana: second\n  788fa3f4: to second\n    somebody: to third",
    );
    expect(textsOf(tree({ data: { items: comments.slice(0, 1) } }).toHTML(), ".ml-said")).toEqual(["first"]);
    expect(String(tree({ data: null }))).toBe("no comments");
  });

  test("what is no comment is refused", () => {
    expect(() => tree([{ id: 1 }])).toThrow(expect.objectContaining({ code: "not_a_comment" }));
  });

  test("no text becomes an element, a handler or an address", { tags: "slow" }, () => {
    fc.assert(
      fc.property(anyText(), anyText(), anyText(), anyText(), (cid, text, nickname, place) => {
        const reply = { cid: `${cid}r`, text: place, author_uid_hash: nickname, lang: place };
        const view = tree(
          [{ cid, text, author: { nickname }, ip_location: place, created_at: text, replies: [reply] }],
          {
            title: nickname,
          },
        ).toHTML();
        const allowed = ["div", "ul", "li", "details", "summary", "b", "span"];
        expect(parsed(view).names.filter((name) => !allowed.includes(name))).toEqual([]);
        expect(dangers(view)).toEqual([]);
        expect(textsOf(view, ".ml-said")).toEqual([visible(text), visible(place)]);
      }),
      runs(200),
    );
  });

  test("each text runs in its own direction", () => {
    const said = parsed(tree([{ cid: "1", text: "مرحبا", lang: "ar" }]).toHTML()).elements.find(
      (element) => attribute(element, "class") === "ml-said",
    );
    expect(said && [attribute(said, "dir"), attribute(said, "lang")]).toEqual(["auto", "ar"]);
  });
});

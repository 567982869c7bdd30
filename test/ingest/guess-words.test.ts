import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GuessedMapping } from "../../src/ingest/guess/guess-mapping.js";
import { guessRows, previewOf, Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const WORDS = "The new bridge over the river opens on Monday, and it costs nothing";

const guess = (make: (n: number) => object) => guessRows(scratch, 12, make);
const recordOf = ({ mapping }: GuessedMapping) => mapping.rules[0]!.record!;
const fieldsOf = (guessed: GuessedMapping) => recordOf(guessed).fields!;

describe("the words that a guess finds", () => {
  it("are titles and texts that few rows have, where no other field is one", async () => {
    const guessed = await guess((n) =>
      n % 4 === 0
        ? { Id: `q${n}x`, Title: `Is the bridge ${n} open?`, Body: WORDS }
        : { Id: `q${n}x`, ParentId: "q1x", Body: `${WORDS}, ${n}` },
    );
    expect(fieldsOf(guessed)).toMatchObject({ title: "Title", text: "Body" });
    const posts = await guess((n) => ({
      id: `t${n}x`,
      title: `Bridge ${n}`,
      selftext: n % 4 === 0 ? WORDS : "",
    }));
    expect(fieldsOf(posts)).toMatchObject({ title: "title", text: "selftext" });
  });

  it("come from another field in the rows that have nothing in the first", async () => {
    const guessed = await guess((n) =>
      n < 8
        ? { id: `r${n}x`, comments: `${WORDS}, ${n}`, review_id: "a", product_name: `Bridge ${n}` }
        : { id: `r${n}x`, content: `${WORDS}; ${n}`, title: `Ferry ${n}` },
    );
    expect(fieldsOf(guessed)).toMatchObject({
      title: { path: ["product_name", "title"] },
      text: { path: ["comments", "content"] },
    });
    expect(guessed.doubts.join("\n")).toContain("title in rows without product_name");
  });

  it("are no versions and no ids, whatever those are called", async () => {
    const guessed = await guess((n) => ({
      review_id: `77f9c9ee3-07b7-4203-9aaa-${n}19d359abaa6`,
      review_created_version: `24.05.${n}`,
      reviewer_build: "5f3759df5f3759df5f3759df5f3759df5f3759df",
      answer: `Cool ${n}`,
      score: n,
    }));
    expect(recordOf(guessed).id).toBe("review_id");
    expect(fieldsOf(guessed).text).toBe("answer");
  });

  it("stay words where they are the only thing that tells rows apart", async () => {
    const guessed = await guess((n) => ({
      cname: `悦来客栈第${"一二三四五六七八九十百千"[n]}店`,
      fit: `适合商务差旅、会议与度假的客人，靠近江滩和地铁站，早餐丰富，房间安静整洁，停车方便 ${n}`,
    }));
    expect(recordOf(guessed).id).toBe("cname");
    expect(JSON.stringify(fieldsOf(guessed))).toContain("cname");
    const slugs = await guess((n) => ({
      cname: `客栈${"一二三四五六七八九十百千"[n]}`,
      slug: `inn-${n}`,
      fit: WORDS,
    }));
    expect(recordOf(slugs).id).toBe("slug");
  });

  it("are said to be more than one text where others are long, too", async () => {
    const guessed = await guess((n) => ({
      id: `g${n}x`,
      summary: `Out of control ${n}`,
      pros: `${WORDS} ${n}`,
      cons: `${WORDS}, says ${n}`,
    }));
    expect(guessed.doubts.join("\n")).toContain(
      'text: pros, cons hold long texts, too, which search does not find under `extra`; `{ "list": ["summary", "pros", "cons"], "join": "\\n" }` puts them together',
    );
  });

  it("have a language that a field names, in words that are no codes", async () => {
    const guessed = await guess((n) => ({
      id: `s${n}x`,
      language: n % 2 ? "schinese" : "french",
      text: WORDS,
    }));
    const doubt = guessed.doubts.find((each) => each.startsWith("lang: language"));
    expect(doubt).toBe(
      'lang: language is the language by its name, in words that are no codes ("french"); name each in a map, `"lang": {"path":"language","map":{"french":"und"},"else":"und","language":true}`',
    );
    const coded = await guess((n) => ({ id: `s${n}x`, language: n % 2 ? "zh" : "fr", text: WORDS }));
    expect(coded.doubts.join("\n")).not.toContain("no codes");
  });

  it("say which field has the name of an id, where some rows have the same", async () => {
    const guessed = await guess((n) => ({ tweet_id: `${97588 + (n % 9)}`, text: `${WORDS}, ${n}` }));
    expect(recordOf(guessed).id).toEqual({ hash: ["@file", "@row"] });
    expect(guessed.doubts.join("\n")).toContain(
      "id: tweet_id is an id by its name, and 3 of the 12 rows looked at have one of another row; take it if they are the same",
    );
  });

  it("are all parts of a text in parts, and lists that are empty in some rows are left out", async () => {
    const part = (type: string, text: string) => ({ type, text });
    const guessed = await guess((n) =>
      n === 0
        ? { id: "m0x", text: "", text_entities: [], reactions: [] }
        : {
            id: `m${n}x`,
            text: n % 2 === 0 ? [part("bold", `${WORDS}, `), "or so"] : `${WORDS}, or so`,
            text_entities:
              n % 2 === 0 ? [part("bold", `${WORDS}, `), part("plain", "or so")] : [part("plain", WORDS)],
            reactions: [{ emoji: "+1", count: n }],
          },
    );
    const fields = fieldsOf(guessed);
    expect(fields.text).toEqual({ path: "text_entities[].text", join: "" });
    expect(guessed.doubts).toContain("text: the texts of text_entities are put together");
    expect(Object.keys(fields)).toEqual(["text", "extra.reactions_0_emoji", "extra.reactions_0_count"]);
    expect(guessed.leftOut.map(({ path }) => path)).toEqual(["text"]);
  });

  it("are the pieces of a text that is a list in some rows, put together", async () => {
    const link = { type: "text_link", text: "the page", href: "https://ex.example/x" };
    const guessed = await guess((n) => ({
      id: `m${n}x`,
      type: "message",
      date: `2026-05-0${(n % 9) + 1}T10:00:00`,
      text: n % 3 === 1 ? [`${WORDS} `, { type: "bold", text: `today ${n}` }, " and see ", link, ""] : WORDS,
      caption: n % 3 === 1 ? [link] : "A label",
    }));
    const fields = fieldsOf(guessed);
    expect(fields.text).toEqual({ path: "text", member: "text", join: "" });
    expect(guessed.doubts).toContain("text: the pieces of text are put together");
    expect(guessed.leftOut).toContainEqual({
      path: "caption",
      reason: "a list in some rows and another value in others",
    });
    const { records } = await previewOf(scratch, guessed.mapping, ".");
    expect(records[1]!.text).toBe(`${WORDS} today 1 and see the page`);
    expect(records[2]!.text).toBe(WORDS);
  });

  it("are taken out of the brackets that crawlers put around all values", async () => {
    const guessed = await guess((n) => ({
      name: [`A desk lamp ${n}`],
      price: n === 3 ? [] : [`$${n}.50`],
      image_72: [`https://pics.example/${n}.png`],
      sizes: n === 2 ? ["S", "M"] : ["S"],
      link: [`https://shop.example/${n}`],
    }));
    expect(recordOf(guessed).id).toBe("link[0]");
    expect(fieldsOf(guessed)).toMatchObject({
      title: "name[0]",
      "price.current": { path: "price[0]" },
      "price.currency": { value: "USD" },
      "extra.link": "link[0]",
      "extra.sizes": "sizes",
    });
    const tagged = await guess((n) => ({ id: `t${n}x`, text: `${WORDS}, ${n}`, langs: ["en"] }));
    expect(fieldsOf(tagged)["extra.langs"]).toBe("langs");
  });
});

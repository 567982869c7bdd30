import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import { readAll, Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const guess = async (name: string, content: string) => guessMapping(await scratch.write(name, content));
const table = (rows: readonly (readonly string[])[], ends = "\n") =>
  rows
    .map(
      (row) =>
        row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",") + ends,
    )
    .join("");
const fieldsOf = async (name: string, content: string) =>
  (await guess(name, content)).mapping.rules[0]!.record!.fields;

describe("a guess of what shops and stores export", () => {
  it("takes a score of one to five stars for a rating, and one of votes for likes", async () => {
    const reviews = [5, 1, 4, 5, 3, 5, 1, 2, 5, 4].map((score, i) => [
      `r${i}`,
      `The app is well made, say I, number ${i}`,
      `${score}`,
      `${i}`,
    ]);
    expect(
      await fieldsOf("reviews.csv", table([["reviewId", "content", "score", "thumbsUpCount"], ...reviews])),
    ).toMatchObject({
      "metrics.rating": "score",
      "extra.thumbsUpCount": "thumbsUpCount",
    });
    const posts = [3, 1, 1, 2, 1, 1, 4, 2, 1, 1].map((score, i) => [
      `p${i}`,
      `A post that some people like, number ${i}`,
      `${score}`,
    ]);
    expect(await fieldsOf("posts.csv", table([["id", "body", "score"], ...posts]))).toMatchObject({
      "metrics.likes": "score",
    });
  });

  it("takes a body for the text, not what describes its pictures, though variants have none", async () => {
    const rows = Array.from({ length: 12 }, (_, i) =>
      i % 3 === 0
        ? [
            `item-${i}`,
            `Lamp ${i}`,
            `<p>A lamp that is <b>made by hand</b> of brass, number ${i}</p>`,
            "9.50",
            `A brass lamp on a table beside a window, ${i}`,
          ]
        : [`item-${i - (i % 3)}`, "", "", "9.50", `The same brass lamp from another side of the room, ${i}`],
    );
    const fields = await fieldsOf(
      "products.csv",
      table([["Handle", "Title", "Body (HTML)", "Variant Price", "Image Alt Text"], ...rows]),
    );
    expect(fields).toMatchObject({
      text: { path: '["Body (HTML)"]', html: "text" },
      title: "Title",
      "price.current": "Variant Price",
      "extra.Image_Alt_Text": "Image Alt Text",
    });
  });

  it("takes a line of names for a header, though one is of a member of a list and one says at length where it is from", async () => {
    const from =
      "Related products (product.metafields.shop--discovery--product_recommendation.related_products)";
    const names = ["id", "title", "price", "style[0]", "colour", from];
    const guessed = await guess(
      "catalogue.csv",
      table([
        names,
        ["a1", "Oak shelf", "40.00 GBP", "", "brown", "b2"],
        ["b2", "Pine shelf", "25.00 GBP", "", "white", ""],
      ]),
    );
    expect(guessed.mapping.sources[0]!.read).toBeUndefined();
    expect(guessed.mapping.rules[0]!.record!.fields).toMatchObject({
      title: "title",
      "price.currency": { value: "GBP" },
    });
  });

  it("says which field is a price that it cannot read, and with what in it", async () => {
    const rows = ["US $24.80", "US $17.02", "US $11.89/ea"].map((price, i) => [
      `https://shop.example/${i}`,
      `Blue cup, number ${i}`,
      price,
    ]);
    const { doubts } = await guess("cups.csv", table([["url", "title", "price"], ...rows]));
    expect(doubts).toContain(
      'price.current: price is a price by its name, but "US $11.89/ea" is none in a form that is known here, so it stays text; `match`, `thousands` and `absent` may read it',
    );
    expect(
      await fieldsOf("cups-2.csv", table([["url", "title", "price"], ...rows.slice(0, 2)])),
    ).toMatchObject({ "price.currency": { value: "USD" } });
  });

  it("reads prices whose currency has two marks", async () => {
    const rows = ["¥1,200", "￥980"].map((price, i) => [`s${i}`, `Tea ${i}`, price]);
    expect(await fieldsOf("tea.csv", table([["sku", "name", "price"], ...rows]))).toMatchObject({
      "price.currency": { value: "JPY" },
    });
  });

  it("keeps the address that it takes for an id, and the names of columns in any letters", async () => {
    const rows = [1, 2, 3].map((n) => [
      `https://shop.example/${"long".repeat(40)}/${n}`,
      `녹차 세트 ${n}`,
      "1,200원",
      "무료",
    ]);
    expect(await fieldsOf("mall.csv", table([["링크", "상품명", "가격", "배송"], ...rows]))).toMatchObject({
      title: "상품명",
      "price.currency": { value: "KRW" },
      "extra.링크": "링크",
      "extra.배송": "배송",
    });
  });

  it("reads times in words, which count from when they were fetched", async () => {
    const rows = ["3 weeks ago", "Edited a month ago", "2 days ago"].map((date, i) => [
      "",
      `A long walk with a fine view, worth it, ${i}`,
      "5",
      date,
    ]);
    const guessed = await guess("places.csv", table([["place", "review", "rating", "date"], ...rows]));
    expect(guessed.mapping.rules[0]!.record!.fields).toMatchObject({
      "extra.published_at": { path: "date", time: "ago" },
    });
    expect(guessed.mapping.defaults?.captured_at).toBeUndefined();
    expect(guessed.doubts).toContain(
      'captured_at: date is a time in words ("3 weeks ago"), which counts from when it was fetched; give --captured-at',
    );
  });

  it("reads tables whose lines end with a carriage return more, as programs write them that end lines twice", async () => {
    const path = await scratch.write(
      "twice.csv",
      table(
        [
          ["a", "b"],
          ["1", "x, y"],
          ["2", "z"],
        ],
        "\r\r\n",
      ),
    );
    expect((await readAll(path)).values).toEqual([
      { a: "1", b: "x, y" },
      { a: "2", b: "z" },
    ]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import type { MappingDocument } from "../../src/ingest/mapping/form/schema.js";
import { previewOf, readAll, Scratch } from "./support.js";

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
/** What a mapping makes of the rows of the folder. */
const previewed = async (mapping: MappingDocument) => (await previewOf(scratch, mapping, ".")).records;
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

  it.each([
    ["点赞数", ["1.2万", "35", "10万+"], [12_000, 35, 100_000]],
    ["likes", ["1.2K", "1,035", "2M+"], [1200, 1035, 2_000_000]],
    ["лайки", ["1,2 тыс.", "35", "2 тыс."], [1200, 35, 2000]],
    ["curtidas", ["1,2 mil", "35 mil", "2 mi"], [1200, 35_000, 2_000_000]],
    ["likes", ["5 months", "35", "2"], undefined],
    ["likes", ["5 of 7", "35", "2"], undefined],
  ])("reads counts that are written short: %s %j", async (name, texts, counts) => {
    const rows = texts.map((text, n) => [`p${n}x`, `Some post about a bridge, ${n}`, text]);
    const { mapping, doubts } = await guess("counts.csv", table([["id", "text", name], ...rows]));
    const likes = mapping.rules[0]!.record!.fields!["metrics.likes"];
    expect(likes === undefined).toBe(counts === undefined);
    if (likes === undefined) return;
    expect(doubts).toContain(
      `metrics.likes: counts in ${name} are texts (${JSON.stringify(texts[0])}); those of another form have no value`,
    );
    expect((await previewed(mapping)).map(({ metrics }) => metrics?.likes)).toEqual(counts);
  });

  it("reads shops' tables in the languages of their shops", async () => {
    const taobao = table([
      ["商品标题", "商品价格", "付款人数", "店铺名称", "商品链接"],
      ["绿茶 礼盒装 清香型", "￥9.90", "1万+人付款", "百货店", "https://shop.example/1"],
      ["台灯 护眼 学生", "￥12.90", "25人付款", "优品店", "https://shop.example/2"],
      ["水杯 大容量 便携", "￥15", "35人付款", "优品店", "https://shop.example/3"],
    ]);
    const { mapping } = await guess("taobao.csv", taobao);
    expect(mapping.rules[0]!.record).toMatchObject({ id: "商品链接", fields: { title: "商品标题" } });
    expect(await previewed(mapping)).toMatchObject([
      { price: { current: 9.9, currency: "CNY" }, metrics: { sold: 10_000 } },
      { price: { current: 12.9, currency: "CNY" }, metrics: { sold: 25 } },
      { price: { current: 15, currency: "CNY" }, metrics: { sold: 35 } },
    ]);
    const houses = [1, 2, 3].map((n) => [`h${n}x`, `南向两居室 精装修 近地铁 ${n} 号`, `${n}50.5`]);
    const plain = await guess("houses.csv", table([["id", "title", "价格"], ...houses]));
    expect(plain.mapping.rules[0]!.record!.fields!["price.currency"]).toEqual({ value: "CNY" });
    expect(plain.doubts).toContain('price.currency: no field names it; "CNY" is written, correct it');
    const lazada = await fieldsOf(
      "lazada.csv",
      table([
        ["ชื่อสินค้า", "ราคา", "ขายแล้ว", "คะแนน", "รีวิว", "ชื่อผู้ใช้", "วันที่"],
        ["โคมไฟตั้งโต๊ะ", "฿199", "3", "4.5", "สินค้าดีมาก ส่งไว", "สมชาย", "2024-05-01"],
        ["ชาเขียว", "฿99", "7", "4.1", "แพ็คดี ราคาไม่แพง", "สมหญิง", "2024-05-02"],
      ]),
    );
    expect(lazada).toMatchObject({
      title: '["ชื่อสินค้า"]',
      text: '["รีวิว"]',
      "metrics.sold": '["ขายแล้ว"]',
      "metrics.rating": "คะแนน",
      "price.currency": { value: "THB" },
      "extra.published_at": { path: '["วันที่"]', time: "iso" },
    });
    expect(JSON.stringify(lazada)).not.toContain("ผู้ใช้");
  });

  it("takes −1 for a count that is hidden, and a flattened table's inner names for no titles", async () => {
    const rows = [-1, 5, 7].map((likes, n) => [
      `p${n}x`,
      `The new bridge over the river opens on Monday, ${n}`,
      `${likes}`,
      `Song ${n}`,
      `9${n}`,
      `2026-05-0${n + 1} 10:00:00`,
      `${1_780_000_000 + n}`,
    ]);
    const header = [
      "id",
      "caption",
      "likesCount",
      "musicMeta.musicName",
      "authorMeta.heartCount",
      "采集时间",
      "created_t",
    ];
    const { mapping } = await guess("posts.csv", table([header, ...rows]));
    expect(mapping.rules[0]!.record!.fields).toMatchObject({
      text: "caption",
      "metrics.likes": { path: "likesCount", absent: ["-1"] },
      "extra.published_at": { path: "created_t", time: "epoch_s" },
      "extra.musicMeta_musicName": '["musicMeta.musicName"]',
    });
    expect(mapping.defaults!.captured_at).toEqual({ path: "采集时间", time: "iso" });
    expect((await previewed(mapping)).map(({ metrics }) => metrics?.likes)).toEqual([undefined, 5, 7]);
  });

  it("makes lists of columns that are members of one flattened list", async () => {
    const tags = (n: number) => ["river", "bridge", "walk"].map((tag, i) => (i <= n % 3 ? tag : ""));
    const rows = Array.from({ length: 9 }, (_, n) => [
      ...[`p${n}x`, `A walk over the old bridge number ${n}, with friends`, `${n}`, "Artist"],
      ...[...tags(n), "", n > 4 ? "null" : "u1", "u2", n % 2 ? `nice ${n}` : "", n % 2 ? "so true" : ""],
    ]);
    const header = [
      ...["id", "caption", "likesCount", "music/artist_name", "tags/0", "tags/1", "tags/10", "tags/2"],
      ...["img.0.url", "img.1.url", "latest[0].text", "latest[1].text"],
    ];
    const { mapping } = await guess("posts.csv", table([header, ...rows]));
    expect(mapping.rules[0]!.record!.fields).toEqual({
      text: "caption",
      "metrics.likes": "likesCount",
      "extra.music_artist_name": '["music/artist_name"]',
      "extra.tags": {
        list: ['["tags/0"]', '["tags/1"]', '["tags/2"]', '["tags/10"]'],
        type: "list",
      },
      "extra.img_url": { list: ['["img.0.url"]', '["img.1.url"]'], type: "list", absent: ["null"] },
      "extra.latest_text": { list: ['["latest[0].text"]', '["latest[1].text"]'], type: "list" },
    });
    const { extra } = (await previewed(mapping))[7]!;
    expect(extra).toMatchObject({ tags: ["river", "bridge"], img_url: ["u2"] });
    expect(extra).toMatchObject({ latest_text: ["nice 7", "so true"] });
  });

  it("finds the delimiter that makes a table of all rows, where texts have more of another mark", async () => {
    const rows = [",,,,", "", ",", ",,", ""].map((marks, n) => `p${n}x\tA bridge${marks}\t${n}\n`);
    const { mapping } = await guess("tabs.csv", `id\ttext, comments, and, others\tlikes\n${rows.join("")}`);
    expect(mapping.sources[0]!.read).toMatchObject({ as: "csv", delimiter: "\t" });
  });

  it.each(["::", "||", "|~|"])("finds a delimiter of several characters: %s", async (delimiter) => {
    const genres = ["Comedy|Drama|War", "Drama", "Comedy|Drama"];
    const films = genres.map((genre, n) => [`${n + 1}`, `A film, ${n}: the end (199${n})`, genre]);
    const dat = films.map((row) => `${row.join(delimiter)}\n`).join("");
    const lines = await guess("movies.dat", dat);
    expect(lines.mapping.sources[0]!.read).toMatchObject({ as: "csv", delimiter });
    expect((await previewed(lines.mapping)).map(({ text }) => text)).toEqual(films.map(([, text]) => text));
    const named = await guess("movies.csv", `${["id", "title", "genres"].join(delimiter)}\n${dat}`);
    expect(named.mapping.sources[0]!.read).toEqual({ as: "csv", delimiter });
  });

  it("keeps a mark of one character where empty cells double it", async () => {
    const rows = Array.from(
      { length: 8 },
      (_, n) => `p${n}|${n % 2 ? "" : "x"}|A long text about bridges ${n}\n`,
    );
    const { mapping } = await guess("bars.csv", `id|tag|text\n${rows.join("")}`);
    expect(mapping.sources[0]!.read).toMatchObject({ delimiter: "|" });
  });
});

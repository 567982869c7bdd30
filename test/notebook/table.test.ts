import {
  DateDay,
  makeData,
  makeVector,
  Table,
  TimestampMicrosecond,
  tableFromArrays,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visible } from "../../src/notebook/markup.js";
import { table } from "../../src/notebook/table.js";
import { runs } from "../support/campaign.js";
import { attribute, dangers, parsed, textsOf } from "./parsed.js";
import { anyText } from "./texts.js";

const META = {
  billed: true,
  charged_usd: "0.004000",
  used_free_quota: false,
  free_quota_remaining: 12,
  balance_usd: "99.996000",
  empty: false,
};
const RECORD = {
  id: "eco_glm_1",
  src: "ecommerce",
  platform: "global-marketplace",
  lang: "en",
  title: "Mouse",
  text: "A mouse.",
  metrics: { rating: 4.5, sold: 1200 },
  price: { current: 12.5, currency: "EUR", drop_7d: -3.25 },
  vec: new Float32Array(1536),
  prov: { hash: "0xab", ts: "2026-05-29T14:00:00+02:00" },
};

describe("table: escaping", () => {
  test("no text, wherever it stands, becomes an element, a handler or an address", () => {
    fc.assert(
      fc.property(anyText(), anyText(), anyText(), anyText(), (key, value, title, note) => {
        fc.pre(key !== "");
        const view = table(
          [
            Object.fromEntries([
              [key, value],
              ["lang", value],
              ["text", title],
              ["n", 1],
            ]),
          ],
          {
            title,
            note,
            columns: [
              { key, label: key, unit: value },
              "lang",
              "text",
              { key: "n", bar: true, label: title },
            ],
          },
        ).toHTML();
        const allowed = ["div", "table", "thead", "tbody", "tr", "th", "td", "span"];
        expect(parsed(view).names.filter((name) => !allowed.includes(name))).toEqual([]);
        expect(dangers(view)).toEqual([]);
        expect(textsOf(view, ".ml-title")).toEqual([visible(title)]);
      }),
      runs(200),
    );
  });

  test("the text of a cell is the value itself", () => {
    fc.assert(
      fc.property(anyText(), (value) => {
        fc.pre(value !== "" && !/^\d{4}-/.test(value));
        expect(textsOf(table([{ text: value }]).toHTML(), "td")).toEqual([visible(value)]);
      }),
    );
  });

  test("records and objects of any shape can be shown", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withNullPrototype: true }),
        (value) => {
          const view = table(value);
          expect(dangers(view.toHTML())).toEqual([]);
          expect(typeof view.toString()).toBe("string");
        },
      ),
      runs(200),
    );
  });
});

describe("table: what is shown", () => {
  test("records: title with text, metrics, price with its currency, capture in UTC, no vector and no hash", () => {
    const view = table([RECORD]).toHTML();
    expect(textsOf(view, "th")).toEqual([
      "record",
      "platform",
      "lang",
      "rating",
      "sold",
      "price EUR",
      "7-day change %",
      "captured UTC",
      "id",
    ]);
    expect(textsOf(view, "td")).toEqual([
      "MouseA mouse.",
      "global-marketplace",
      "en",
      "4.5",
      "1,200",
      "12.50",
      "−3.3",
      "2026-05-29 12:00",
      "eco_glm_1",
    ]);
  });

  test("records of several domains share a column for what is counted", () => {
    const post = {
      ...{ id: "soc_shv_1", src: "social", platform: "short-video", lang: "zh", text: "你好" },
      ...{ metrics: { likes: 1234 }, author: { uid_hash: "a", followers: 5 } },
    };
    const view = table([RECORD, post]).toHTML();
    expect(textsOf(view, "th")).toContain("figures");
    expect(textsOf(view, "td")).toContain("1,234\u00a0likes · 5\u00a0followers");
  });

  test("currencies that differ stand beside their numbers", () => {
    const other = { ...RECORD, id: "eco_glm_2", price: { current: 150000, currency: "IDR" } };
    const view = table([RECORD, other]).toHTML();
    expect(textsOf(view, "th")).toContain("price");
    expect(textsOf(view, "td")).toEqual(expect.arrayContaining(["12.50 EUR", "150,000.00 IDR"]));
  });

  test("an answer says what it cost, a page how much there is", () => {
    const page = { items: [{ cid: "1", text: "a" }], cursor: 1, has_more: true, total: 63 };
    const answer = { request_id: "1f0c", data: page, meta: META };
    expect(textsOf(table(answer).toHTML(), ".ml-note")).toEqual(["1 of 63 rows · charged 0.004000 USD"]);
    const free = { ...answer, meta: { ...META, billed: false, used_free_quota: true } };
    expect(String(table(free))).toMatch(/a free call, 12 left this month$/);
    const nothing = { request_id: "1f0c", data: [], meta: { ...META, billed: false, empty: true } };
    expect(textsOf(table(nothing).toHTML(), ".ml-note")).toEqual(["nothing found · not charged"]);
    expect(parsed(table(nothing).toHTML()).names).not.toContain("table");
  });

  test("manifests are shown by their facts", () => {
    const manifest = {
      $schema: "x",
      title: "Posts",
      licenses: [{ name: "MIT" }],
      resources: [{ bytes: 1000 }, { bytes: 500 }],
      mirrorlake: {
        root: "ab".repeat(32),
        filter: { domain: "social", platform: "microblog", lang: "zh", from: "2026-05-01T00:00:00Z" },
        counts: { records: 60, raw: 493, vectors: 0 },
      },
    };
    const view = table([manifest]).toHTML();
    expect(textsOf(view, "td")).toEqual([
      ...["Posts", "social", "microblog", "zh", "2026-05", "60", "493", "0", "1,500", "MIT"],
      "abababababab" + "ab…",
    ]);
    const root = parsed(view).elements.find((element) => attribute(element, "title") !== "");
    expect(root && attribute(root, "title")).toBe("ab".repeat(32));
  });

  test("Arrow tables, lists of values, and the fields of one object", () => {
    const arrow = tableFromArrays({ n: Int32Array.of(1, 2), name: ["a", "b"] });
    expect(textsOf(table(arrow).toHTML(), "td")).toEqual(["1", "a", "2", "b"]);
    expect(textsOf(table([1, 2.5]).toHTML(), "td")).toEqual(["1.0", "2.5"]);
    expect(textsOf(table({ a: { b: 12345 }, at: "2026-05-29T10:00:00Z" }).toHTML(), "td")).toEqual([
      ...["a.b", "12,345", "at", "2026-05-29 10:00 UTC"],
    ]);
  });

  test("times of an Arrow table are shown as times, those beyond every Date too", () => {
    const instants = [Date.UTC(2026, 4, 27, 10), null];
    const arrow = new Table({
      at: vectorFromArray(instants, new TimestampMicrosecond()),
      day: vectorFromArray([Date.UTC(2026, 4, 27), null], new DateDay()),
    });
    expect(textsOf(table(arrow).toHTML(), "td")).toEqual(["2026-05-27 10:00", "2026-05-27", "–", "–"]);
    const ends = makeData({ type: new DateDay(), data: Int32Array.of(2 ** 31 - 1, 1 - 2 ** 31, 0) });
    expect(textsOf(table(new Table({ day: makeVector(ends) })).toHTML(), "td")).toEqual([
      ...["infinity", "-infinity", "1970-01-01"],
    ]);
  });

  test("a column that no row has is told", () => {
    const view = table([{ a: 1 }], { columns: ["a", "nope"], note: "N." });
    expect(textsOf(view.toHTML(), ".ml-note")).toEqual(['N. No row has "nope".']);
    expect(String(view)).toContain('No row has "nope".');
    expect(textsOf(table([], { columns: ["nope"] }).toHTML(), ".ml-note")).toEqual(["nothing found"]);
  });

  test("numbers of a column have the same decimals, a true minus, and no minus at zero", () => {
    const view = table([{ x: -1234.5 }, { x: 0.25 }, { x: -0.001 }, { x: null }]).toHTML();
    expect(textsOf(view, "td")).toEqual(["−1,234.50", "0.25", "0.00", "–"]);
    expect(textsOf(table([{ x: 0.0123 }, { x: 0.05 }]).toHTML(), "td")).toEqual(["0.0123", "0.0500"]);
    expect(textsOf(table([{ x: 2n ** 60n }]).toHTML(), "td")).toEqual(["1,152,921,504,606,846,976"]);
    expect(textsOf(table([{ x: Number.NaN }, { x: Infinity }]).toHTML(), "td")).toEqual(["NaN", "∞"]);
  });

  test("midnights of a column are days, columns of seconds say so", () => {
    const view = table([{ day: "2026-05-29T00:00:00.000Z", video_dur_s: 20 }]).toHTML();
    expect(textsOf(view, "th")).toEqual(["day", "video_dur_s s"]);
    expect(textsOf(view, "td")).toEqual(["2026-05-29", "20"]);
  });

  test("each text runs in its own direction and says its language", () => {
    const arabic = "الماء مادة شفافة لا لون لها ولا رائحة";
    const cells = parsed(table([{ lang: "ar", text: arabic }]).toHTML()).elements.filter(
      ({ tagName }) => tagName === "td",
    );
    expect(cells.map((cell) => attribute(cell, "dir"))).toEqual(["auto", "auto"]);
    expect(cells.map((cell) => attribute(cell, "lang"))).toEqual(["", "ar"]);
  });

  test("bars begin at zero and share a scale", () => {
    const view = table([{ n: -5 }, { n: 15 }, { n: 0 }], { columns: [{ key: "n", bar: true }] }).toHTML();
    const bars = parsed(view).elements.filter((element) => attribute(element, "class").startsWith("ml-fill"));
    expect(bars.map((bar) => attribute(bar, "style").match(/\* ([\d.]+)/g))).toEqual([
      ["* 0", "* 0.25"],
      ["* 0.25", "* 0.75"],
      ["* 0.25", "* 0"],
    ]);
  });

  test("the limit is kept and told", () => {
    const rows = Array.from({ length: 45 }, (_, i) => ({ i }));
    expect(textsOf(table(rows).toHTML(), ".ml-note")).toEqual(["20 of 45 rows"]);
    expect(textsOf(table(rows, { limit: 45 }).toHTML(), ".ml-note")).toEqual([]);
  });

  test("plain text has aligned columns, wide characters counted twice", () => {
    const rows = [
      { name: "手机", n: 5 },
      { name: "mouse", n: 1234 },
    ];
    expect(String(table(rows, { title: "Things" }))).toBe("Things\nname       n\n手机       5\nmouse  1,234");
  });
});

test("golden structure", () => {
  const view = table([{ name: "a & b", n: 2 }], {
    title: "T",
    note: "N",
    columns: ["name", { key: "n", unit: "kg" }],
  });
  expect(view.toHTML().replace(/<style>.*<\/style>/s, "")).toBe(
    '<div class="mirrorlake"><div class="ml-title" dir="auto">T</div><div class="ml-scroll"><table>\n' +
      '<thead><tr><th scope="col" class="ml-text" dir="auto">name</th>' +
      '<th scope="col" class="ml-number" dir="auto">n <span class="ml-unit">kg</span></th></tr></thead>\n' +
      '<tbody>\n<tr><td class="ml-text" dir="auto"><div class="ml-clamp">a &amp; b</div></td><td class="ml-number">2</td></tr>\n' +
      '</tbody>\n</table></div><div class="ml-note" dir="auto">N</div></div>',
  );
});

test("a promise is refused, as by who forgot to await it", () => {
  expect(() => table(Promise.resolve([{ a: 1 }]))).toThrow(/is a promise/);
});

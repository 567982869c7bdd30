import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundTo } from "../../src/contract/round-to.js";
import { bioSentence } from "../../src/ingest/mapping/bio-sentence.js";
import { recordId } from "../../src/ingest/mapping/build-record.js";
import { authorHash } from "../../src/ingest/values/author-hash.js";
import { toJson, toNumber, toText } from "../../src/ingest/values/convert.js";
import { toLanguageTag } from "../../src/ingest/values/language/language-code.js";
import { parseNumber } from "../../src/ingest/values/number.js";
import { parsePath, readPath } from "../../src/ingest/values/path.js";
import { plainText } from "../../src/ingest/values/plain-text.js";
import { cleanText, decodeHtml, unescapeUnicode } from "../../src/ingest/values/text.js";
import { millisecondsAgo } from "../../src/ingest/values/time-ago.js";
import { isoText, parseTimeFormat } from "../../src/ingest/values/time-format.js";
import { toVector } from "../../src/ingest/values/vector.js";
import { parseZone } from "../../src/ingest/values/zone.js";
import { addressableId } from "../../src/slice/addressable-id.js";
import { ANY_CHARACTER } from "../support/any-character.js";

const read = (row: unknown, path: string) => readPath(row, parsePath(path, "test"));

describe("the text of any value", () => {
  it("is what String makes of it, where String makes something by itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything({ withBigInt: true })), (value) => {
        let usual: string;
        try {
          usual = String(value);
        } catch {
          usual = plainText(value); // which must not throw
        }
        fc.pre(!/toString|valueOf|toPrimitive/.test(fc.stringify(value)));
        expect(plainText(value)).toBe(usual);
      }),
    );
  });

  it.each([
    [{ toString: "" }, "[object Object]"],
    [[1, [{ toString: null, valueOf: 1 }, null]], "1,[object Object],"],
    [{ toString: () => "told" }, "[object Object]"],
    [Object.create(null), "[object Object]"],
    [new Uint8Array([1, 2]), "1,2"],
  ])("%#", (value, text) => expect(plainText(value)).toBe(text));
});

describe("source paths", () => {
  const row = {
    a: { b: [{ c: 1 }, { c: 2 }, { d: 3 }] },
    "Product Name": "x",
    "a.b": "dotted",
    list: [7, 8, 9],
  };

  it.each([
    ["a.b[0].c", 1],
    ["a.b[-1].d", 3],
    ["a.b[].c", [1, 2]],
    ["Product Name", "x"],
    ['["a.b"]', "dotted"],
    ["$.list[1]", 8],
    ["a.nothing.at.all", undefined],
    ["list[].x", []],
    ["toString", undefined],
  ])("%s", (path, value) => expect(read(row, path)).toEqual(value));

  it("reads typed arrays", () => expect(read({ v: Float32Array.of(1, 2) }, "v[1]")).toBe(2));

  it.each(["", "a..b", "a[", "a[x]", ".a", "a[0"])("refuses %j", (path) => {
    expect(() => parsePath(path, "rules[0].x")).toThrow(/^rules\[0\]\.x: .*is not a source path/);
  });
});

describe("numbers", () => {
  it.each([
    ["1,299.00", { thousands: "," }, 1299],
    ["1.299,50", { thousands: ".", decimal: "," }, 1299.5],
    ["12,90 €", { decimal: "," }, 12.9],
    ["Rp 53.500", { thousands: "." }, 53_500],
    ["-$1,000", { thousands: "," }, -1000],
    ["1,00,000", { thousands: "," }, 100_000],
    ["1.2万", { suffixes: { 万: 10_000 } }, 12_000],
    ["3.4K", { suffixes: { k: 1000 } }, 3400],
    ["１２３", {}, 123],
    ["١٢٣٤", {}, 1234],
    ["𝟙𝟚.𝟛", {}, 12.3],
    ["𝟎𝟵", {}, 9],
    ["۱۲۳٫۵", { decimal: "٫" }, 123.5],
    ["₹१,२३,४५६.५०", { thousands: "," }, 123_456.5],
    ["−5", {}, -5],
    ["R$ 1.299,90", { thousands: ".", decimal: "," }, 1299.9],
    ["2mm", { suffixes: { m: 1e6, mm: 1e9 } }, 2e9],
    ["1e3", {}, 1000],
    [" 42 ", {}, 42],
    ["１，２９９．５０", { thousands: "," }, 1299.5],
    ["￥１２", {}, 12],
    ["1\u00a0299,00\u00a0€", { thousands: "\u00a0", decimal: "," }, 1299],
    ["1\u202f299,00 €", { thousands: "\u202f", decimal: "," }, 1299],
    ["1 299,00 €", { thousands: "\u00a0", decimal: "," }, 1299],
    ["1\u202f299,00 €", { thousands: " ", decimal: "，" }, 1299],
    ["1’299", { thousands: "'" }, 1299],
    ["1'299", { thousands: "’" }, 1299],
    ["CHF 1’299’000.50", { thousands: "＇" }, 1_299_000.5],
    ["1’299’000", {}, 1_299_000],
    ["-1'299.50", {}, -1299.5],
    ["1’299,50", { decimal: "," }, 1299.5],
    ["1,5\u00a0Mio", { decimal: ",", suffixes: { "\u00a0mio": 1e6 } }, 1_500_000],
  ] as const)("%j with %j is %d", (text, format, value) => expect(parseNumber(text, format)).toBe(value));

  it.each([
    ["1,299", {}],
    ["1’299", {}],
    ["1’29.50", {}],
    ["12'3", { thousands: "'" }],
    ["1’299’00", {}],
    ["1’299.5’0", {}],
    ["3’50", { thousands: "." }],
    ["1,2", { thousands: "," }],
    ["1,2345", { thousands: "," }],
    ["1,299.00,5", { thousands: "," }],
    ["1,299.50,000", { thousands: "," }],
    ["299.000,000", { thousands: "," }],
    ["1.299,50.000", { thousands: ".", decimal: "," }],
    ["1 299,50 000", { thousands: " ", decimal: "," }],
    ["12 apples", {}],
    ["", {}],
    ["--1", {}],
    ["1.2.3", {}],
    ["1.5", { decimal: "," }],
    ["1299¹", {}],
    ["1299²³", {}],
    ["12₀", {}],
    ["①", {}],
    [Number.NaN, {}],
    [null, {}],
    [{}, {}],
  ])("%j with %j is none", (text, format) => expect(parseNumber(text, format)).toBeUndefined());

  it("takes bigints", () => expect(parseNumber(7n)).toBe(7));

  it("reads back every number that it is written as, with separators or without", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const decimals = String(cents).padStart(2, "0");
        const value = Number(`${whole}.${decimals}`);
        const english = `${whole.toLocaleString("en-US")}.${decimals}`;
        const german = `${whole.toLocaleString("de-DE")},${decimals}`;
        expect(parseNumber(english, { thousands: "," })).toBe(value);
        expect(parseNumber(german, { thousands: ".", decimal: "," })).toBe(value);
        expect(parseNumber(String(value))).toBe(value);
      }),
    );
  });

  it("rounds half away from zero, by decimal digits", () => {
    expect([
      roundTo(1.005, 2),
      roundTo(-1.005, 2),
      roundTo(2.5, 0),
      roundTo(-0.2, 0),
      roundTo(1e-9, 4),
    ]).toEqual([1.01, -1.01, 3, 0, 0]);
  });
});

describe("times and zones", () => {
  const utc = parseZone("UTC")!;
  const time = (format: string, value: unknown, zone = "UTC", reference?: object) => {
    const instant = parseTimeFormat(format)!.parse(value, parseZone(zone)!, reference as never);
    return instant && isoText(instant);
  };

  it.each([
    ["epoch_s", 1590774479, "UTC", "2020-05-29T17:47:59+00:00"],
    ["epoch_s", "1588279391", "UTC", "2020-04-30T20:43:11+00:00"],
    ["epoch_ms", 1629096138000, "UTC", "2021-08-16T06:42:18+00:00"],
    ["epoch_ns", 1457740800000000000, "UTC", "2016-03-12T00:00:00+00:00"],
    ["iso", "2026-05-28T23:51:05.941482+00:00", "UTC", "2026-05-28T23:51:05.941+00:00"],
    ["iso", "2026-05-28", "+02:00", "2026-05-28T00:00:00+02:00"],
    ["iso", "2026-05-29 12:00:00+00", "+05:00", "2026-05-29T12:00:00+00:00"],
    ["iso", "2026-05-29 12:00:00.123456-03", "UTC", "2026-05-29T12:00:00.123-03:00"],
    ["iso", "20260529T120000Z", "+05:00", "2026-05-29T12:00:00+00:00"],
    ["iso", "20260529T120000.5+0530", "UTC", "2026-05-29T12:00:00.500+05:30"],
    ["iso", "20260529T1200", "+05:00", "2026-05-29T12:00:00+05:00"],
    ["iso", "2026-05-28 10:11Z", "UTC", "2026-05-28T10:11:00+00:00"],
    ["yyyy-MM-dd HH:mm:ss", "2013-04-19 20:25:36", "+08:00", "2013-04-19T20:25:36+08:00"],
    ["yyyyMMddHHmmss", 20170701234500, "UTC", "2017-07-01T23:45:00+00:00"],
    ["EEE MMM dd HH:mm:ss xx yyyy", "Mon Mar 18 12:49:45 +0800 2013", "UTC", "2013-03-18T12:49:45+08:00"],
    ["d.M.yyyy h:mm a", "3.11.2024 12:05 AM", "UTC", "2024-11-03T00:05:00+00:00"],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-02-29T01:02:03.040-03:30", "UTC", "2024-02-29T01:02:03.040-03:30"],
  ])("%s: %j in %s is %s", (format, value, zone, text) => expect(time(format, value, zone)).toBe(text));

  it.each([
    ["yyyy-MM-dd", "2023-02-29"],
    ["yyyy-MM-dd HH:mm", "2023-02-28 24:00"],
    ["iso", "yesterday"],
    ["iso", "2023-13-01"],
    ["epoch_s", "12a"],
    ["epoch_s", 1e15],
    ["epoch_s", ""],
  ])("%s: %j is no time", (format, value) => expect(time(format, value)).toBeUndefined());

  it.each(["", "yyyy", "HH:mm", "yyyy-MM-dd yyyy", "qq", "MM-dd hh:mm", "yyyy-MM-dd 'x"])(
    "%j is no format",
    (text) => {
      expect(parseTimeFormat(text)).toBeUndefined();
    },
  );

  it("dates without a year: the given year, or the first not before the reference", () => {
    const since = (iso: string) => ({ notBefore: parseTimeFormat("iso")!.parse(iso, utc) });
    expect(time("MM-dd HH:mm", "04-19 20:25", "+08:00", { year: 2013 })).toBe("2013-04-19T20:25:00+08:00");
    expect(time("MM-dd HH:mm", "01-02 00:30", "UTC", since("2012-12-30"))).toBe("2013-01-02T00:30:00+00:00");
    expect(time("MM-dd", "02-29", "UTC", since("2013-03-01"))).toBe("2016-02-29T00:00:00+00:00");
    expect(time("MM-dd", "04-19")).toBeUndefined();
  });

  it("knows zones by name, with their changes of clocks", () => {
    expect(time("yyyy-MM-dd HH:mm", "2024-01-10 12:00", "Europe/Madrid")).toBe("2024-01-10T12:00:00+01:00");
    expect(time("yyyy-MM-dd HH:mm", "2024-07-10 12:00", "Europe/Madrid")).toBe("2024-07-10T12:00:00+02:00");
    // 02:30 does not exist on this day; 02:30 happens twice on the other, the first is meant.
    expect(time("yyyy-MM-dd HH:mm", "2024-03-31 02:30", "Europe/Madrid")).toBe("2024-03-31T02:30:00+01:00");
    expect(time("yyyy-MM-dd HH:mm", "2024-10-27 02:30", "Europe/Madrid")).toBe("2024-10-27T02:30:00+02:00");
    expect(time("yyyy-MM-dd HH:mm", "1988-07-01 12:00", "Asia/Shanghai")).toBe("1988-07-01T12:00:00+09:00");
    expect(parseZone("Mars/Olympus")).toBeUndefined();
    expect(parseZone("+25:00")).toBeUndefined();
  });

  it("gives readings of all years before the first change of clocks the zone's earliest offset", () => {
    const years = fc.integer({ min: 0, max: 1799 });
    fc.assert(
      fc.property(
        years,
        fc.constantFrom("Asia/Shanghai", "America/New_York", "Europe/Madrid"),
        (year, zone) => {
          const day = `${String(year).padStart(4, "0")}-02-28`;
          const earliest = time("yyyy-MM-dd", "1800-01-01", zone)!.slice(-6);
          expect(time("yyyy-MM-dd", day, zone)).toBe(`${day}T00:00:00${earliest}`);
        },
      ),
      {
        examples: [
          [1, "Asia/Shanghai"],
          [99, "America/New_York"],
        ],
      },
    );
    expect(time("yyyy-MM-dd", "0001-01-01", "Asia/Shanghai")).toBe("0001-01-01T00:00:00+08:06");
  });

  it("writes every instant so that it reads back", () => {
    const offsets = fc.integer({ min: -18 * 60, max: 18 * 60 });
    const instants = fc.date({
      min: new Date("1000-01-02"),
      max: new Date("9999-12-30"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, offsets, (date, offsetMinutes) => {
        const text = isoText({ ms: date.getTime(), offsetMinutes });
        expect(parseTimeFormat("iso")!.parse(text, utc)).toEqual({ ms: date.getTime(), offsetMinutes });
        expect(Date.parse(text)).toBe(date.getTime());
      }),
    );
  });

  it("read the offset in each of its forms, in extended and basic times", () => {
    const instants = fc.date({
      min: new Date("0002-01-01T00:00:00Z"),
      max: new Date("9998-12-31T00:00:00Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -18, max: 18 }), fc.boolean(), (date, hours, basic) => {
        const wall = new Date(date.getTime() + hours * 3_600_000).toISOString().slice(0, -1);
        const time = basic ? wall.replaceAll(/[-:]/g, "") : wall;
        const hour = `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}`;
        for (const offset of [hour, ` ${hour}`, `${hour}00`, `${hour}:00`])
          expect(parseTimeFormat("iso")!.parse(time + offset, utc)).toEqual({
            ms: date.getTime(),
            offsetMinutes: hours * 60 + 0,
          });
      }),
    );
  });

  it.each([
    "20260529",
    20260529,
    "2026-0529",
    "202605-29T12:00",
    "2026-05-29T12:0000",
    "20260529T120000+1",
    "2026-05-29+00",
  ])("%j is no ISO 8601 time", (text) => expect(time("iso", text)).toBeUndefined());
});

describe("text, ids and codes", () => {
  it("cleans text to what canonical JSON can hold", { tags: "slow" }, () => {
    expect(cleanText(" a\r\nb\u0000\u0007\tc\ud83d ")).toBe("a\nb\tc\ufffd");
    expect(cleanText("\u0093Vote\u0094 \u0096 it\u0092s 5 \u0080\u0085\u0081\u008d")).toBe(
      "“Vote” – it’s 5 €…",
    );
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(cleanText(text)).not.toMatch(/\p{Surrogate}|(?![\t\n])\p{Cc}/u);
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
    );
  });

  it("undoes escapes that a source left, pairs too", () => {
    expect(unescapeUnicode("Let\\u2019s \\ud83d\\udcaa go\\u00")).toBe("Let’s 💪 go\\u00");
  });

  it("makes ids addressable", () => {
    expect(addressableId("a b%c\n")).toBe("a%20b%25c%0A");
    expect(addressableId("x".repeat(151))).toMatch(/^[0-9a-f]{32}$/);
    const platform = { slug: "p", domain: "web", code: "abc", name: "P" } as const;
    expect(recordId(platform, "1 2")).toBe("web_abc_1%202");
  });

  it("hashes authors with the salt", () => {
    expect(authorHash("42", "salt")).toMatch(/^[0-9a-f]{16}$/);
    expect(authorHash("42", "salt")).toBe(authorHash("42", "salt"));
    expect(authorHash("42", "salt")).not.toBe(authorHash("42", "pepper"));
  });

  it.each([
    ["fra", "fr"],
    ["ger", "de"],
    ["cze", "cs"],
    ["cmn", "zh"],
    ["zh_CN", "zh-CN"],
    ["EN", "en"],
    ["iw", "he"],
    ["mkd", "mk"],
    ["tl", "tl"],
    ["tgl", "tl"],
    ["tl_ph", "tl-PH"],
    ["fil-PH", "fil-PH"],
    ["sh-latn", "sh-Latn"],
    ["tl-x", undefined],
    ["english", undefined],
    ["", undefined],
    ["x1", undefined],
  ])("language code %j is %j", (code, tag) => expect(toLanguageTag(code)).toBe(tag));

  it("assembles tagged tokens", () => {
    const columns = { separator: "\t", token: 0, tag: 1 };
    expect(
      bioSentence(["Ada\tB-PER", "Lovelace\tI-PER", "lives\tO", "in\tO", "London\tI-LOC"], columns),
    ).toEqual({
      text: "Ada Lovelace lives in London",
      tokens: ["Ada", "Lovelace", "lives", "in", "London"],
      entities: [
        { type: "PER", text: "Ada Lovelace" },
        { type: "LOC", text: "London" },
      ],
    });
    expect(bioSentence(["Ada"], columns)).toMatch(/no token and tag/);
    expect(bioSentence(["Ada\tX"], columns)).toMatch(/not a BIO tag/);
  });

  it("takes vectors of 1536 finite numbers only", () => {
    const good = Array.from({ length: 1536 }, (_, i) => i / 1536);
    expect(toVector(good, "v")).toHaveLength(1536);
    expect(toVector(Float64Array.from(good), "v")[1]).toBeCloseTo(1 / 1536, 6);
    expect(() => toVector(good.slice(1), "v")).toThrow("1536 numbers, got 1535");
    expect(() => toVector([...good.slice(1), Number.NaN], "v")).toThrow("not a finite number");
    expect(() => toVector([...good.slice(1), 1e39], "v")).toThrow("not a finite number");
    expect(() => toVector([...good.slice(1), "1"], "v")).toThrow("not a finite number");
    expect(() => toVector(new Array(1536).fill(0), "v")).toThrow("all zero");
    expect(() => toVector("no", "v")).toThrow("not a list of numbers");
  });
});

describe("numbers that JSON has not", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("%d is called so", (value) => {
    expect(() => toNumber(value, false, "metrics.likes", {})).toThrow(`is not a number, got ${value}`);
    expect(toJson([value, 1], "extra.share")).toEqual([null, 1]);
    expect(() => toText([value], "text")).toThrow(`is not text, got ["${value}"]`);
  });
});

describe("HTML as text", () => {
  it.each([
    ["a<!-- b -->c", "ac"],
    ["a<!-- <b>x</b> -->c<i>d</i>", "acd"],
    ["a<!-- b --><!-- c -->d", "ad"],
    ["a<!-- <!-- b -->c -->d", "ac -->d"],
    ["a<!--b<i>c</i>", "a<!--bc"],
    ["a<!-->b", "a<!-->b"],
    ["1 < 2 and <3, <b", "1 < 2 and <3, <b"],
    ["one<br>two<p>three</p>four &amp; five", "one\ntwothree\nfour & five"],
  ])("%j is %j", (html, text) => expect(decodeHtml(html, "text")).toBe(text));

  it.each([
    ["a<script>alert(1)</script>b", "ab"],
    ["a<SCRIPT type='x'>if (a < b) '<p>'</script >b<style>p > a {}</style>c", "abc"],
    ["a<template><p>no</p></template>b<noscript>yes</noscript>", "abyes"],
    ["a<script src=x></script>b<scripture>c", "abc"],
    ["a<!-- <script> -->b<script>'<!--'</script>c", "abc"],
    ["a<script>never closed <b>b</b>", "anever closed b"],
    ["a</script>b<style>x</script>c</style>d", "abd"],
    ["İ<script>x</script>b", "İb"],
  ])("of %j loses what is hidden", (html, text) => expect(decodeHtml(html, "text")).toBe(text));

  it("loses its comments and tags as by one pass from left to right", () => {
    const piece = fc.constantFrom("<!--", "-->", "<", ">", "<a", "</a", "!", "-", " x", "&lt;", "'");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const html = pieces.join("");
        const once = html.replace(/<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi, "");
        expect(decodeHtml(html, "text")).toBe(decodeHtml(once, "entities"));
      }),
    );
  });
});

// What takes time by the square of the length does not end within a test's limit at these lengths.
describe("texts of 2,000,000 characters", () => {
  const LONG = 2_000_000;
  const filled = (unit: string) => unit.repeat(LONG / unit.length);

  it.each([
    "<!--",
    "<a",
    "<br",
    "</p ",
    "</p",
    "<",
    "-->",
    "<!-->",
    "&",
    "&#",
    "&lt",
    "<script>",
    "</script",
    "<style></script>",
    "<style><template></template>",
  ])("of %j become text", (unit) => {
    expect(decodeHtml(`hello ${filled(unit)}`, "text")).toMatch(/^hello/);
  });

  it("of spaces within a number are none, nor are they a time", () => {
    const spaces = filled(" ");
    expect(parseNumber(`1${spaces}x`)).toBeUndefined();
    expect(parseNumber(`1${spaces}€`)).toBe(1);
    expect(millisecondsAgo(`1${spaces}x`)).toBeUndefined();
    expect(millisecondsAgo(`${filled("1")} x`)).toBeUndefined();
    const zone = parseZone("+00:00")!;
    expect(parseTimeFormat("yyyy  MM  dd")!.parse(`2026${spaces}x`, zone)).toBeUndefined();
    expect(parseTimeFormat("yyyy  MM  dd")!.parse("2026  05   27", zone)).toBeDefined();
    expect(parseTimeFormat("yyyy  MM  dd")!.parse("2026 05 27", zone)).toBeUndefined();
  });
});

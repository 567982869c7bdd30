import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drop7d } from "../../src/contract/price-change.js";
import { GDELT } from "../../src/ingest/adapters/gdelt/gdelt.js";
import { headlineOf } from "../../src/ingest/adapters/gdelt/headline.js";
import { PRICE_HISTORY } from "../../src/ingest/adapters/price-history/price-history.js";
import { newestByPlace } from "../../src/ingest/adapters/price-history/price-series.js";
import { convertValues, sortOut } from "./support.js";

const NO_CAPTURE = { capturedAt: undefined as never };

describe("price history", () => {
  const snapshot = (day: number, place: string, precio: number | null, more: object = {}) => ({
    fecha_snapshot: `2026-05-${String(day).padStart(2, "0")}`,
    marca_temporal_extraccion: `2026-05-${String(day).padStart(2, "0")}T20:00:00.123456+00:00`,
    id_ubicacion: place,
    id_producto: "10",
    producto: "Té verde",
    categoria: "Té",
    precio,
    disponible: true,
    ...more,
  });

  it("makes a product of its newest day, at the first place by name", async () => {
    const rows = [
      snapshot(20, "lugo", 2),
      snapshot(27, "lugo", 1.8),
      snapshot(28, "lugo", 1.5),
      snapshot(28, "vigo", 1.9),
      snapshot(27, "ourense", 1),
      snapshot(28, "vigo", null),
      snapshot(28, "vigo", -1),
      snapshot(28, "vigo", 3, { id_producto: "11", producto: "" }),
      snapshot(27, "vigo", 3, { id_producto: "12" }),
    ];
    const { records, raw, rejects } = sortOut(await convertValues(PRICE_HISTORY, rows, NO_CAPTURE));
    expect(records[0]).toMatchObject({
      id: "eco_gro_10",
      lang: "es",
      title: "Té verde",
      price: { current: 1.5, currency: "EUR" },
      extra: {
        location: "lugo",
        locations: ["lugo", "vigo"],
        price_min: 1.5,
        price_max: 1.9,
        stock: "available",
      },
      prov: { ts: "2026-05-28T20:00:00.123+00:00" },
    });
    expect(records[0]!.price).not.toHaveProperty("drop_7d");
    expect(records[1]!.price).toEqual({ current: 3, currency: "EUR" });
    const prices = raw("price").filter(({ parent }) => parent === "10");
    expect(prices.map(({ id, data, score }) => [id, data.location, score])).toEqual([
      ["10:lugo:2026-05-20", "lugo", 2],
      ["10:lugo:2026-05-27", "lugo", 1.8],
      ["10:lugo:2026-05-28", "lugo", 1.5],
      ["10:vigo:2026-05-28", "vigo", 1.9],
      ["10:ourense:2026-05-27", "ourense", 1],
    ]);
    expect(raw("product")).toEqual([]);
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [6, "precio"],
      [7, "precio"],
      [8, "producto"],
    ]);
  });

  it("compares with a week ago where there is one, else with the oldest", () => {
    const point = (day: number, price: number) => ({ ms: day * 86_400_000, price });
    expect(drop7d([point(1, 100), point(2, 90), point(9, 45)])).toBe(-50);
    expect(drop7d([point(1, 100), point(3, 110)])).toBe(10);
    expect(drop7d([point(1, 100)])).toBeUndefined();
    expect(drop7d([point(1, 0), point(2, 1)])).toBeUndefined();
    expect(drop7d([])).toBeUndefined();
  });

  it("makes the same product whichever earlier days came with it (property)", () => {
    const snapshots = fc.array(
      fc.record({
        day: fc.constantFrom("2026-05-27", "2026-05-28", "2026-05-29"),
        place: fc.constantFrom("a", "b", "c"),
        capturedMs: fc.nat(9),
        price: fc.nat(99),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(snapshots, (given) => {
        const newest = given
          .map(({ day }) => day)
          .sort()
          .at(-1);
        const places = newestByPlace(given);
        expect(places).toEqual(newestByPlace(given.filter(({ day }) => day === newest)));
        expect(places.map(({ place }) => place)).toEqual(
          [...new Set(places.map(({ place }) => place))].sort(),
        );
      }),
    );
  });
});

describe("GDELT", () => {
  it.each([
    ["https://news.example/2017/07/01/tea-prices-rise-again/", "Tea prices rise again"],
    ["https://news.example/world/le-th%C3%A9-vert-monte_123456.html", "Le thé vert monte"],
    ["https://news.example/a/article_e8d7a9bd-6fc6-50b2-b665-d7582b73cdf5.html", undefined],
    ["https://news.example/story.php?id=5", undefined],
    ["https://news.example/tea-in-cork-1.3140687", "Tea in cork"],
    ["https://news.example/%E0%A4%A", undefined],
    ["not an address", undefined],
  ])("headline of %s", (url, headline) => expect(headlineOf(url)).toBe(headline));

  const gkg = {
    GKGRECORDID: "20170701234500-T3",
    DATE: 20170701234500,
    SourceCommonName: "news.example",
    DocumentIdentifier: "https://news.example/le-the-vert-monte",
    Themes: "ECON_PRICE;TEA;",
    V2Locations:
      "2#Lyon, Rhone, France#FR#FRA9##45.75#4.85#-1#10;2#Lyon, Rhone, France#FR#FRA9##45.75#4.85#-1#90",
    Persons: "ada tea",
    V2Persons: "Ada Tea,10;Ada Tea,90;Bea Leaf,7",
    Organizations: "tea board",
    V2Organizations: null,
    V2Tone: "-2.5,1,3.5,4.5,20,1,612",
    Quotations: "10|5||Tea is dear#90|6|said|No, it is not",
    TranslationInfo: "srclc:fra;eng:Moses",
    Extras: "<PAGE_PRECISEPUBTIMESTAMP>20170702084700</PAGE_PRECISEPUBTIMESTAMP>",
  };

  it("makes articles of both formats, events and mentions", async () => {
    const lower = Object.fromEntries(Object.entries(gkg).map(([key, value]) => [key.toLowerCase(), value]));
    const rows = {
      gkg1: [
        {
          DATE: "20170701",
          TONE: "0.4,1",
          SOURCEURLS: "https://a.example/1<UDIV>https://b.example/tea-is-back-in-town",
          SOURCES: "a.example",
          PERSONS: "ada tea",
        },
        { DATE: "20170701", TONE: "x", SOURCEURLS: "https://a.example/1" },
      ],
      gkg2: [
        gkg,
        { ...lower, gkgrecordid: "20170701234500-4", translationinfo: null, extras: null },
        { ...gkg, V2Tone: null },
      ],
      events: [
        {
          GLOBALEVENTID: 1,
          SQLDATE: 1457740800000000000,
          DATEADDED: 20170312,
          EventCode: "043",
          CAMEOCodeDescription: " Host a visit",
          GoldsteinScale: 2.8,
          NumMentions: 4,
          Actor1Name: "LYON",
          Actor1Code: "FRA",
          ActionGeo_FullName: "Lyon",
          ActionGeo_Lat: 45.7,
        },
        { GLOBALEVENTID: 2, SQLDATE: "soon", DATEADDED: 20170312, EventCode: "043" },
      ],
      mentions: [
        {
          GLOBALEVENTID: 1,
          MentionTimeDate: 20170701234500,
          MentionIdentifier: "https://a.example/1",
          SentenceID: 2,
          Confidence: 50,
          MentionDocTranslationInfo: "srclc:mkd;eng",
        },
      ],
    };
    const { records, raw, rejects } = sortOut(await convertValues(GDELT, rows, NO_CAPTURE));
    expect(records.map(({ lang, title }) => [lang, title])).toEqual([
      ["en", "Tea is back in town"],
      ["fr", "Le the vert monte"],
      ["en", "Le the vert monte"],
    ]);
    expect(records[1]).toMatchObject({
      id: "web_gnw_20170701234500-T3",
      text: "Tea is dear\nNo, it is not",
      sentiment: { score: -2.5, label: "negative" },
      entities: ["Ada Tea", "Bea Leaf", "tea board", "Lyon, Rhone, France"],
      extra: {
        outlet: "news.example",
        published_at: "2017-07-02T08:47:00+00:00",
        themes: ["ECON_PRICE", "TEA"],
        words: 612,
      },
      prov: { ts: "2017-07-01T23:45:00+00:00" },
    });
    expect(raw("article")[1]!.data).toMatchObject({
      persons: ["Ada Tea", "Bea Leaf"],
      prov: { source: "GDELT" },
    });
    expect(raw("event")[0]).toMatchObject({
      id: "1",
      created_at: "2016-03-12T00:00:00+00:00",
      captured_at: "2017-03-12T00:00:00+00:00",
      data: { date: "2016-03-12", description: "Host a visit", actors: [{ code: "FRA", name: "LYON" }] },
    });
    expect(raw("mention")[0]).toMatchObject({ parent: "1", lang: "mk", score: 50 });
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [2, "tone"],
      [3, "v2tone"],
      [2, "sqldate"],
    ]);
  });
});

import assert from "node:assert/strict";
import { formatUsd } from "../../contract/money.js";
import type { UnifiedRecord } from "../../contract/service/unified-record.js";
import { envelopeOf, expectInvalid, rowOf, sampleRecords } from "../checks.js";
import { type Rule, section } from "../rule.js";

const search = section("4.1");

const refused = (name: string, says: string, parameter: string, ...values: readonly unknown[]) =>
  search.rule(name, says, async (subject) => {
    for (const value of values)
      expectInvalid(
        await subject.call("search", { query: subject.samples.query, [parameter]: value }),
        parameter,
      );
  });

const taken = (name: string, says: string, parameter: string, ...values: readonly unknown[]) =>
  search.rule(name, says, async (subject) => {
    for (const value of values)
      envelopeOf(await subject.call("search", { query: subject.samples.query, [parameter]: value }));
  });

const only = (
  name: string,
  says: string,
  params: Record<string, unknown>,
  test: (record: UnifiedRecord) => boolean,
) =>
  search.rule(name, says, async (subject) => {
    assert.ok((await sampleRecords(subject, subject.samples, params)).every(test));
  });

/** Service.md section 4.1: search. */
export const SECTION_4_1: readonly Rule[] = [
  search.rule("row", "POST /v1/search, coming_soon, beta, scope search", async (subject) => {
    const { method, path, availability, maturity, scope } = rowOf(subject, "search");
    assert.deepEqual(
      [method, path, availability, maturity, scope],
      ["POST", "/v1/search", "coming_soon", "beta", "search"],
    );
  }),
  search.rule("query-required", "query is required", async (subject) => {
    expectInvalid(await subject.call("search", { limit: 1 }), "query");
  }),
  refused("query-type", "query is a string", "query", 7, null, ["a"], {}, true),
  refused("query-length", "query has 1 to 500 characters", "query", "", "x".repeat(501)),
  taken("query-length-edges", "queries of 1 and of 500 characters are taken", "query", "x", "字".repeat(500)),
  refused("additional", "no additional properties", "offset", 0),
  refused("domains-type", "domains is an array of the three domains", "domains", "social", ["news"], [7]),
  refused("domains-unique", "domains has unique items", "domains", ["web", "web"]),
  only(
    "domains-filter",
    "domains restricts",
    { domains: ["web", "social"] },
    ({ src }) => src !== "ecommerce",
  ),
  search.rule("domains-default", "without domains, all three are searched", async (subject) => {
    assert.equal(new Set((await sampleRecords(subject, subject.samples)).map(({ src }) => src)).size, 3);
  }),
  refused("platforms-type", "platforms is an array of slugs", "platforms", "forum", [7], ["no such slug!"]),
  refused("platforms-unique", "platforms has unique items", "platforms", ["forum", "forum"]),
  search.rule("platforms-filter", "platforms restricts", async (subject) => {
    const { slug } = subject.samples.platform;
    const records = await sampleRecords(subject, subject.samples, { platforms: [slug] });
    assert.ok(records.every(({ platform }) => platform === slug));
  }),
  search.rule("platforms-default", "without platforms, several are searched", async (subject) => {
    const found = (await sampleRecords(subject, subject.samples)).map(({ platform }) => platform);
    assert.ok(new Set(found).size > 1);
  }),
  refused(
    "freshness-pattern",
    "freshness matches ^[0-9]+(h|d)$",
    "freshness",
    "24",
    "h",
    "1w",
    "1.5h",
    "-1h",
    " 1h",
    24,
  ),
  refused(
    "freshness-range",
    "freshness is from 1h to 90d",
    "freshness",
    "0h",
    "0d",
    "91d",
    "2161h",
    "9999999999d",
  ),
  taken("freshness-edges", "1h and 90d (2160h) are taken", "freshness", "1h", "90d", "2160h", "001h"),
  search.rule("freshness-default", "without freshness, the last 24 hours are searched", async (subject) => {
    const { oldQuery: query } = subject.samples;
    const { data } = envelopeOf<UnifiedRecord[]>(await subject.call("search", { query, limit: 100 }));
    const stated = await subject.call("search", { query, limit: 100, freshness: "24h" });
    const ids = (records: readonly UnifiedRecord[]) => records.map(({ id }) => id);
    assert.deepEqual(ids(data), ids(envelopeOf<UnifiedRecord[]>(stated).data));
    const wide = await sampleRecords(subject, subject.samples, { query });
    assert.ok(wide.length > data.length, "90d should find more than 24h");
  }),
  refused("format-values", "format is records or vectors+provenance", "format", "vectors", "", "json", 1),
  search.rule("format-default", "without format, records have vectors and provenance", async (subject) => {
    const records = await sampleRecords(subject, subject.samples, { limit: 5 });
    assert.ok(records.every(({ vec, prov }) => vec !== undefined && prov !== undefined));
  }),
  refused("limit-type", "limit is an integer", "limit", "20", 1.5, null, true),
  refused("limit-range", "limit is from 1 to 100", "limit", 0, -1, 101),
  search.rule("limit", "limit is the most records that come", async (subject) => {
    for (const limit of [1, 7]) {
      const { data } = envelopeOf<unknown[]>(
        await subject.call("search", { query: subject.samples.query, freshness: "90d", limit }),
      );
      assert.equal(data.length, limit);
    }
  }),
  search.rule("limit-default", "without limit, 20 records come", async (subject) => {
    const { data } = envelopeOf<unknown[]>(
      await subject.call("search", { query: subject.samples.query, freshness: "90d" }),
    );
    assert.equal(data.length, 20);
  }),
  search.rule("price", "a search costs 0.004000 USD, is free-eligible, capped at 100/s", async (subject) => {
    const { price, freeEligible, capPerSecond } = rowOf(subject, "search");
    assert.deepEqual([formatUsd(price), freeEligible, capPerSecond], ["0.004000", true, 100]);
  }),
  search.untestable(
    "statuses",
    "statuses 401, 403, 429, 503 are listed",
    "Each is a rule of sections 5, 7 and 8.",
  ),
  search.assumed("order", "the same question has the same answer", async (subject) => {
    const ids = async () => (await sampleRecords(subject, subject.samples)).map(({ id }) => id);
    assert.deepEqual(await ids(), await ids());
  }),
];

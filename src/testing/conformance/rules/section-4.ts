import assert from "node:assert/strict";
import type { EndpointSpec } from "../../../contract/endpoint.js";
import { formatUsd } from "../../../contract/money.js";
import type { CommentsPage } from "../../../contract/raw.js";
import { Timestamp, type UnifiedRecord } from "../../../contract/records.js";
import { envelopeOf, expectError, expectInvalid, sampleRecords } from "../checks.js";
import { type Rule, type Subject, section } from "../rule.js";

const all = section("4");
const search = section("4.1");
const raw = section("4.2");
const video = section("4.2.1");
const comments = section("4.2.2");
const slices = section("4.3");
const others = section("4.4");

const row = ({ catalogue }: Pick<Subject, "catalogue">, id: string): EndpointSpec => {
  const found = catalogue.find((endpoint) => endpoint.id === id);
  assert.ok(found !== undefined, `no endpoint ${id}`);
  return found;
};

const SECTION_4: readonly Rule[] = [
  all.wire("authentication", "every endpoint needs a key", async (subject) => {
    for (const { method, path } of subject.catalogue) {
      const outcome = await subject.send!({ method, path });
      expectError(outcome, "invalid_api_key");
    }
  }),
  all.rule("success-headers", "a success carries the five headers", async (subject) => {
    const { itemId: item_id, query } = subject.samples;
    for (const [id, params] of [
      ["search", { query }],
      ["raw.short-video.video", { item_id }],
      ["datasets.slices", {}],
    ] as const) {
      const { headers, status } = await subject.call(id, params);
      assert.equal(status, 200);
      for (const name of ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining"])
        assert.ok(headers[name], name);
      for (const name of ["x-service-charged", "x-service-balance"]) assert.ok(headers[name], name);
    }
  }),
];

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

const SECTION_4_1: readonly Rule[] = [
  search.rule("row", "POST /v1/search, coming_soon, beta, scope search", async (subject) => {
    const { method, path, availability, maturity, scope } = row(subject, "search");
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
    const { price, freeEligible, capPerSecond } = row(subject, "search");
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

const itemId = ({ samples }: Subject) => ({ item_id: samples.itemId });

const itemIdRules = (rules: typeof video, id: string): readonly Rule[] => [
  rules.rule("item-id-required", "item_id is required", async (subject) => {
    expectInvalid(await subject.call(id, {}), "item_id");
  }),
  rules.rule("item-id-pattern", "item_id matches ^[0-9]{15,20}$", async (subject) => {
    for (const item_id of [
      "",
      "1".repeat(14),
      "1".repeat(21),
      `${"1".repeat(15)}a`,
      ` ${"1".repeat(16)}`,
      "７".repeat(16),
    ])
      expectInvalid(await subject.call(id, { item_id }), "item_id");
  }),
  rules.rule("item-id-edges", "ids of 15 and of 20 digits are taken", async (subject) => {
    for (const length of [15, 20]) envelopeOf(await subject.call(id, { item_id: "1".repeat(length) }));
  }),
];

const SECTION_4_2: readonly Rule[] = [
  raw.rule(
    "paths",
    "raw endpoints are GET /v1/raw/{platform}/{resource}, scope raw:<platform>",
    async ({ catalogue }) => {
      const rows = catalogue.filter(({ path }) => path.startsWith("/v1/raw/"));
      assert.ok(rows.length > 0);
      for (const { method, path, platform, resource, scope } of rows) {
        assert.equal(method, "GET");
        assert.equal(path, `/v1/raw/${platform}/${resource}`);
        assert.equal(scope, `raw:${platform}`);
      }
    },
  ),
  video.rule("row", "raw video is live, beta", async (subject) => {
    const { availability, maturity } = row(subject, "raw.short-video.video");
    assert.deepEqual([availability, maturity], ["live", "beta"]);
  }),
  ...itemIdRules(video, "raw.short-video.video"),
  video.rule("price", "it costs 0.001500 USD, is free-eligible, capped at 5/s", async (subject) => {
    const { price, freeEligible, capPerSecond } = row(subject, "raw.short-video.video");
    assert.deepEqual([formatUsd(price), freeEligible, capPerSecond], ["0.001500", true, 5]);
  }),
  ...itemIdRules(comments, "raw.short-video.comments"),
  comments.rule("price", "it costs 0.001500 USD", async (subject) => {
    assert.equal(formatUsd(row(subject, "raw.short-video.comments").price), "0.001500");
  }),
  comments.rule("cursor-range", "cursor is an integer, 0 or more", async (subject) => {
    for (const cursor of [-1, 1.5, "x", ""])
      expectInvalid(await subject.call("raw.short-video.comments", { ...itemId(subject), cursor }), "cursor");
  }),
  comments.rule("count-range", "count is an integer from 1 to 50", async (subject) => {
    for (const count of [0, 51, -1, 1.5, "x"])
      expectInvalid(await subject.call("raw.short-video.comments", { ...itemId(subject), count }), "count");
  }),
  comments.rule("count", "count is the number of items per page, 20 by default", async (subject) => {
    for (const [given, expected] of [
      [{}, 20],
      [{ count: 1 }, 1],
      [{ count: 50 }, 50],
    ] as const) {
      const outcome = await subject.call("raw.short-video.comments", { ...itemId(subject), ...given });
      assert.equal(envelopeOf<CommentsPage>(outcome).data.items.length, expected);
    }
  }),
  comments.rule("cursor-default", "without cursor, the first page comes", async (subject) => {
    const page = async (more: object) =>
      envelopeOf<CommentsPage>(
        await subject.call("raw.short-video.comments", { ...itemId(subject), ...more }),
      ).data;
    assert.deepEqual((await page({})).items, (await page({ cursor: 0 })).items);
  }),
  comments.rule("paging", "following cursor until has_more is false gives every comment", async (subject) => {
    const cids = new Set<string>();
    for (let cursor = 0, more = true; more; ) {
      const outcome = await subject.call("raw.short-video.comments", {
        ...itemId(subject),
        cursor,
        count: 17,
      });
      const { data } = envelopeOf<CommentsPage>(outcome);
      for (const { cid } of data.items) cids.add(cid);
      assert.ok(!data.has_more || data.cursor > cursor, "the cursor must move on");
      [cursor, more] = [data.cursor, data.has_more];
    }
    assert.equal(cids.size, subject.samples.commentCount);
  }),
  comments.assumed(
    "past-the-end",
    "a cursor past the end gives an empty page, not charged",
    async (subject) => {
      const outcome = await subject.call("raw.short-video.comments", {
        ...itemId(subject),
        cursor: 1_000_000,
      });
      const { data, meta } = envelopeOf<CommentsPage>(outcome);
      assert.deepEqual([data.items, data.has_more, meta.empty, meta.billed], [[], false, true, false]);
    },
  ),
  comments.untestable(
    "overlap",
    "ordering may change between pages",
    "A liberty of the service; the client's iterators drop repeated cids.",
  ),
];

interface Manifests {
  readonly items: readonly {
    readonly mirrorlake: { readonly filter: Record<"domain" | "platform" | "lang" | "from" | "to", string> };
    readonly resources: readonly object[];
  }[];
}

const manifests = async (subject: Subject, params: Record<string, unknown> = {}) =>
  envelopeOf<Manifests>(await subject.call("datasets.slices", { limit: 100, ...params })).data.items;

const sliceFilter = (name: "domain" | "platform" | "lang") =>
  slices.rule(`filter-${name}`, `slices are filtered by ${name}`, async (subject) => {
    const every = await manifests(subject);
    const value = every[0]!.mirrorlake.filter[name];
    const some = await manifests(subject, { [name]: value });
    assert.ok(some.length > 0 && some.length < every.length, `${some.length} of ${every.length}`);
    for (const { mirrorlake } of some) assert.equal(mirrorlake.filter[name], value);
  });

const SECTION_4_3: readonly Rule[] = [
  slices.rule("row", "GET /v1/datasets/slices", async (subject) => {
    const { method, path } = row(subject, "datasets.slices");
    assert.deepEqual([method, path], ["GET", "/v1/datasets/slices"]);
  }),
  sliceFilter("domain"),
  sliceFilter("platform"),
  sliceFilter("lang"),
  slices.rule("filter-time", "slices are filtered by a time window", async (subject) => {
    const every = await manifests(subject);
    const from = every
      .map(({ mirrorlake }) => mirrorlake.filter.from)
      .sort()
      .at(-1)!;
    const some = await manifests(subject, { from });
    assert.ok(some.length > 0 && some.length < every.length, `${some.length} of ${every.length}`);
    for (const { mirrorlake } of some) assert.ok(Date.parse(mirrorlake.filter.to) > Date.parse(from));
  }),
  slices.rule("files", "a manifest lists the files of a static corpus", async (subject) => {
    for (const { resources } of await manifests(subject)) {
      assert.ok(resources.length > 0);
      for (const file of resources) for (const key of ["path", "bytes", "hash"]) assert.ok(key in file, key);
    }
  }),
  slices.assumed("window", "a manifest names its filter with instants", async (subject) => {
    for (const { mirrorlake } of await manifests(subject)) {
      Timestamp.parse(mirrorlake.filter.from);
      Timestamp.parse(mirrorlake.filter.to);
    }
  }),
];

const SECTION_4_4: readonly Rule[] = [
  others.assumed(
    "labels",
    "every row says how well it is known; four are specified",
    async ({ catalogue }) => {
      assert.equal(catalogue.filter(({ label }) => label === "specified").length, 4);
    },
  ),
];

/** Service.md section 4: endpoints. */
export const SECTION_4_RULES: readonly Rule[] = [
  ...SECTION_4,
  ...SECTION_4_1,
  ...SECTION_4_2,
  ...SECTION_4_3,
  ...SECTION_4_4,
];

import assert from "node:assert/strict";
import { formatUsd } from "../../contract/money.js";
import type { CommentsPage } from "../../contract/service/raw.js";
import { Timestamp } from "../../contract/service/unified-record.js";
import { envelopeOf, expectError, expectInvalid, rowOf } from "../checks.js";
import { type Rule, type Subject, section } from "../rule.js";
import { SECTION_4_1 } from "./section-4-1.js";

const all = section("4");
const raw = section("4.2");
const video = section("4.2.1");
const comments = section("4.2.2");
const slices = section("4.3");
const others = section("4.4");

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
    const { availability, maturity } = rowOf(subject, "raw.short-video.video");
    assert.deepEqual([availability, maturity], ["live", "beta"]);
  }),
  ...itemIdRules(video, "raw.short-video.video"),
  video.rule("price", "it costs 0.001500 USD, is free-eligible, capped at 5/s", async (subject) => {
    const { price, freeEligible, capPerSecond } = rowOf(subject, "raw.short-video.video");
    assert.deepEqual([formatUsd(price), freeEligible, capPerSecond], ["0.001500", true, 5]);
  }),
  ...itemIdRules(comments, "raw.short-video.comments"),
  comments.rule("price", "it costs 0.001500 USD", async (subject) => {
    assert.equal(formatUsd(rowOf(subject, "raw.short-video.comments").price), "0.001500");
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
    const { method, path } = rowOf(subject, "datasets.slices");
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

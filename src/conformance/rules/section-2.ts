import assert from "node:assert/strict";
import { z } from "zod";
import type { ErrorCode } from "../../contract/errors.js";
import { Meta } from "../../contract/service/envelope.js";
import { DOMAIN_PREFIX, PlatformSlug } from "../../contract/service/platforms.js";
import { Comment, CommentsPage, RawVideo } from "../../contract/service/raw.js";
import {
  Author,
  EcommerceMetrics,
  EXTRA_KEYS,
  Extra,
  LanguageTag,
  METRIC_KEYS,
  Price,
  Provenance,
  Sentiment,
  SocialMetrics,
  Timestamp,
  UnifiedRecord,
} from "../../contract/service/unified-record.js";
import { envelopeOf, expectError, fits, sampleRecords } from "../checks.js";
import { type Outcome, type Rule, type Subject, section } from "../rule.js";

const one = section("2.1");
const two = section("2.2");
const three = section("2.3");
const four = section("2.4");
const five = section("2.5");

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const search = (subject: Subject) =>
  subject.call("search", { query: subject.samples.query, freshness: "90d" });
const video = (subject: Subject) =>
  subject.call("raw.short-video.video", { item_id: subject.samples.itemId });
const comments = (subject: Subject, more: Record<string, unknown> = {}) =>
  subject.call("raw.short-video.comments", { item_id: subject.samples.itemId, ...more });
const nothing = (subject: Subject) => ({ item_id: subject.samples.absentItemId });

const meta = (name: keyof Meta, says: string) =>
  one.rule(`meta.${name}`, `meta.${name} is ${says}`, async (subject) => {
    for (const outcome of [await search(subject), await video(subject)])
      fits(Meta.shape[name], envelopeOf(outcome).meta[name]);
  });

const SECTION_2_1: readonly Rule[] = [
  one.rule("envelope", "a success is { request_id, data, meta }", async (subject) => {
    for (const outcome of [await search(subject), await video(subject), await comments(subject)])
      envelopeOf(outcome);
  }),
  one.rule("request-id", "request_id has the shape of a UUID and names one request", async (subject) => {
    const ids = [await search(subject), await search(subject)].map(
      (outcome) => envelopeOf(outcome).request_id,
    );
    for (const id of ids) assert.match(id, UUID);
    assert.equal(new Set(ids).size, ids.length);
  }),
  meta("billed", "a boolean"),
  meta("charged_usd", "decimal USD with 6 places"),
  meta("used_free_quota", "a boolean"),
  meta("free_quota_remaining", "an integer"),
  meta("balance_usd", "decimal USD with 6 places"),
  meta("empty", "a boolean"),
  one.rule(
    "empty-search",
    "a search without result is 200 with empty data, meta.empty true",
    async (subject) => {
      const { platform, query } = subject.samples;
      const domains = ["social", "ecommerce", "web"].filter((domain) => domain !== platform.domain);
      const none = { query, domains, platforms: [platform.slug] };
      const { data, meta } = envelopeOf(await subject.call("search", none));
      assert.deepEqual(data, []);
      assert.equal(meta.empty, true);
    },
  ),
  one.rule("empty-video", "a video that is not there is 200 with null, meta.empty true", async (subject) => {
    const { data, meta } = envelopeOf(await subject.call("raw.short-video.video", nothing(subject)));
    assert.equal(data, null);
    assert.equal(meta.empty, true);
  }),
  one.assumed(
    "empty-page",
    "a comments page without items keeps its shape, meta.empty true",
    async (subject) => {
      const { data, meta } = envelopeOf(await subject.call("raw.short-video.comments", nothing(subject)));
      assert.deepEqual(fits(CommentsPage, data).items, []);
      assert.equal(meta.empty, true);
    },
  ),
  one.rule("not-empty", "meta.empty is false where there is a result", async (subject) => {
    for (const outcome of [await search(subject), await video(subject), await comments(subject)])
      assert.equal(envelopeOf(outcome).meta.empty, false);
  }),
];

const errorBody = (code: ErrorCode, says: string, run: (subject: Subject) => Promise<Outcome>) =>
  two.rule(`error-${code}`, `${says} has the error envelope`, async (subject) => {
    const error = expectError(await run(subject), code);
    assert.match(error.request_id, UUID);
    assert.ok(error.message.length > 0);
  });

const SECTION_2_2: readonly Rule[] = [
  errorBody("invalid_params", "a bad parameter", (subject) => subject.call("search", {})),
  errorBody("invalid_api_key", "a wrong key", (subject) =>
    subject.call("search", { query: "a" }, "ml_wrong"),
  ),
  two.world("error-forbidden", "a missing scope has the error envelope", async (subject) => {
    await subject.world!({}, async ({ account, call }) => {
      expectError(await call("search", { query: "a" }, account.sessionKey(["datasets"])), "forbidden");
    });
  }),
  two.world("error-insufficient_credits", "a lack of credits has the error envelope", async (subject) => {
    await subject.world!({ balanceUsd: "0" }, async ({ call }) => {
      const { itemId: item_id } = subject.samples;
      expectError(await call("raw.short-video.comments", { item_id }), "insufficient_credits");
    });
  }),
];

/** Checks a field of every sample record that has it, and that one has it at least. */
const field = (name: string, says: string, schema: z.ZodType, domain?: string) =>
  three.rule(name, says, async (subject) => {
    const params = domain === undefined ? {} : { domains: [domain] };
    const records = await sampleRecords(subject, subject.samples, params);
    const values = records.map((record) => (record as Record<string, unknown>)[name]);
    const given = values.filter((value) => value !== undefined);
    assert.ok(given.length > 0, `no record has ${name}`);
    for (const value of given) fits(schema, value);
  });

const metrics = (domain: "social" | "ecommerce", schema: z.ZodType) =>
  three.rule(
    `metrics-${domain}`,
    `metrics of ${domain} are ${METRIC_KEYS[domain].join(", ")}`,
    async (subject) => {
      const records = await sampleRecords(subject, subject.samples, { domains: [domain] });
      const found = records.flatMap((record) => (record.metrics === undefined ? [] : [record.metrics]));
      assert.ok(found.length > 0);
      for (const each of found) fits(schema, each);
    },
  );

const strings = z.array(z.string());

const SECTION_2_3: readonly Rule[] = [
  three.rule("array", "records are an array in data", async (subject) => {
    assert.ok(Array.isArray(envelopeOf(await search(subject)).data));
  }),
  three.rule("id", "ids are <domain prefix>_<platform code>_<suffix>, unique", async (subject) => {
    const records = await sampleRecords(subject, subject.samples);
    for (const { id, src } of records)
      assert.match(id, new RegExp(`^${DOMAIN_PREFIX[src]}_[a-z0-9]{3}_\\S+$`));
    assert.equal(new Set(records.map(({ id }) => id)).size, records.length);
  }),
  field("src", "src is social, ecommerce or web", z.enum(["social", "ecommerce", "web"])),
  field("platform", "platform is a slug", PlatformSlug),
  field("lang", "lang is a BCP-47 tag", LanguageTag),
  field("text", "social records have a text", z.string(), "social"),
  ...(["ecommerce", "web"] as const).map((domain) =>
    three.rule(`title-${domain}`, `${domain} records have a title`, async (subject) => {
      for (const { title } of await sampleRecords(subject, subject.samples, { domains: [domain] }))
        assert.equal(typeof title, "string");
    }),
  ),
  field("author", "author is uid_hash and followers", Author, "social"),
  metrics("social", SocialMetrics),
  metrics("ecommerce", EcommerceMetrics),
  field("comment_thread", "comment_thread is an array of strings", strings, "social"),
  field("price", "price is current, currency (ISO 4217), drop_7d", Price, "ecommerce"),
  field("review_sample", "review_sample is an array of strings", strings, "ecommerce"),
  field("sentiment", "sentiment is score and label", Sentiment, "web"),
  field("entities", "entities is an array of strings", strings, "web"),
  field("extra", "extra holds the known keys in their types", Extra),
  three.rule("extra-keys", "the known extra keys are the 17 of the list", async () => {
    assert.equal(EXTRA_KEYS.length, 17);
  }),
  three.rule(
    "format-vectors",
    "vec and prov are there when format is vectors+provenance",
    async (subject) => {
      const records = await sampleRecords(subject, subject.samples, { format: "vectors+provenance" });
      for (const record of records) assert.ok(record.vec !== undefined && record.prov !== undefined);
    },
  ),
  three.rule("format-records", "records alone have no vec", async (subject) => {
    for (const record of await sampleRecords(subject, subject.samples, { format: "records" })) {
      assert.ok(!("vec" in record));
      assert.ok(!("prov" in record));
    }
  }),
  field("vec", "vec is 1536 numbers", UnifiedRecord.shape.vec),
  field("prov", "prov is hash (0x hexadecimal) and ts (ISO 8601 with offset)", Provenance),
  three.rule("fields", "a record has the listed fields only", async (subject) => {
    for (const record of await sampleRecords(subject, subject.samples)) fits(UnifiedRecord, record);
  }),
];

const videoField = (path: string, schema: z.ZodType) =>
  four.rule(path, `${path} has its type`, async (subject) => {
    const { data } = envelopeOf(await video(subject));
    const value = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], data);
    fits(schema, value);
  });

const count = z.number().int().min(0);

const SECTION_2_4: readonly Rule[] = [
  four.rule("fields", "a raw video has the listed fields only", async (subject) => {
    fits(RawVideo, envelopeOf(await video(subject)).data);
  }),
  ...["author.nickname", "author.uid", "author.sec_uid", "author.unique_id"].map((path) =>
    videoField(path, z.string()),
  ),
  ...["likes", "comments", "shares", "saves", "plays"].map((key) => videoField(`metrics.${key}`, count)),
  videoField("extra.video_dur_s", count),
  ...["topic", "source_id", "content_type", "cover_url", "url"].map((key) =>
    videoField(`extra.${key}`, z.string()),
  ),
  videoField("extra.published_at", Timestamp),
  videoField("extra.topics", strings),
  videoField("prov.source", z.string().min(1)),
  four.assumed("source-id", "extra.source_id is the id that was asked for", async (subject) => {
    const { data } = envelopeOf<RawVideo>(await video(subject));
    assert.equal(data.extra.source_id, subject.samples.itemId);
  }),
];

const commentField = (name: keyof Comment) =>
  five.rule(`comment.${name}`, `${name} of every comment has its type`, async (subject) => {
    const { items } = envelopeOf<CommentsPage>(await comments(subject)).data;
    assert.ok(items.length > 0);
    for (const item of items) fits(Comment.shape[name], item[name]);
  });

const SECTION_2_5: readonly Rule[] = [
  five.rule("page", "a page is items, cursor, has_more, total, prov", async (subject) => {
    fits(CommentsPage, envelopeOf(await comments(subject)).data);
  }),
  ...(Object.keys(Comment.shape) as (keyof Comment)[]).map(commentField),
  five.rule("prov", "prov of a page has hash, ts and source", async (subject) => {
    const { prov } = envelopeOf<CommentsPage>(await comments(subject)).data;
    fits(Provenance.required({ source: true }), prov);
  }),
  five.rule("total", "total is the number of comments in all", async (subject) => {
    const { total } = envelopeOf<CommentsPage>(await comments(subject, { count: 1 })).data;
    assert.equal(total, subject.samples.commentCount);
  }),
];

/** Service.md section 2: resources and their fields. */
export const SECTION_2: readonly Rule[] = [
  ...SECTION_2_1,
  ...SECTION_2_2,
  ...SECTION_2_3,
  ...SECTION_2_4,
  ...SECTION_2_5,
];

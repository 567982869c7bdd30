import assert from "node:assert/strict";
import { parseUsd } from "../../contract/money.js";
import { openApiDocument } from "../../contract/service/openapi/openapi-document.js";
import { envelopeOf, expectError } from "../checks.js";
import { type Outcome, type Rule, type Subject, section, type World } from "../rule.js";

const { rule, world, assumedWorld } = section("8");
const nine = section("9");

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** Starts of months in Asia/Singapore are 16:00 UTC of the last day before. */
const END_OF_MAY = "2026-05-31T15:59:59.999Z";

const search = (world: World, { samples }: Subject): Promise<Outcome> =>
  world.call("search", { query: samples.query, limit: 1 });
const video = (world: World, { samples }: Subject): Promise<Outcome> =>
  world.call("raw.short-video.video", { item_id: samples.itemId });
const comments = (world: World, { samples }: Subject): Promise<Outcome> =>
  world.call("raw.short-video.comments", { item_id: samples.itemId, count: 1 });

/** Uses up the month's free calls. */
async function useFreeQuota(world: World): Promise<void> {
  const principal = (await world.account.authenticate(world.apiKey))!;
  const endpoint = { id: "raw.short-video.video", price: parseUsd("0.001500"), freeEligible: true };
  for (let i = (await world.account.state()).freeQuotaRemaining; i > 0; i--) {
    await (await world.account.hold(principal, endpoint))!.charge(`quota-${world.clock.now()}-${i}`);
  }
}

const charges = (name: string, says: string, call: typeof search, charged: string) =>
  world(`price-${name}`, says, async (subject) => {
    await subject.world!({}, async (world) => {
      await useFreeQuota(world);
      const before = (await world.account.state()).balance;
      const { meta } = envelopeOf(await call(world, subject));
      assert.deepEqual([meta.billed, meta.charged_usd, meta.used_free_quota], [true, charged, false]);
      assert.equal((await world.account.state()).balance, before - parseUsd(charged));
    });
  });

const SECTION_8_RULES: readonly Rule[] = [
  world("rate", "60 requests a minute", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      for (let i = 0; i < 60; i++) envelopeOf(await search(world, subject));
      assert.equal((await search(world, subject)).status, 429);
      world.clock.advance(MINUTE_MS);
      envelopeOf(await search(world, subject));
    });
  }),
  world("rate-topped-up", "600 requests a minute after the first top-up", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      await world.account.topUp(parseUsd("1"));
      for (let i = 0; i < 600; i++) {
        if (i % 20 === 0) world.clock.advance(SECOND_MS); // its cap is 20 a second
        envelopeOf(await world.call("account.show", {}));
      }
      expectError(await search(world, subject), "rate_limited");
    });
  }),
  assumedWorld("rate-counts", "the rate counts calls that pass the checks before it", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      for (let i = 0; i < 70; i++) await world.call("search", {});
      assert.equal(envelopeOf(await search(world, subject)).meta.empty, false);
    });
  }),
  world("cap-search", "100 searches a second", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      await world.account.topUp(parseUsd("1"));
      for (let i = 0; i < 100; i++) envelopeOf(await search(world, subject));
      expectError(await search(world, subject), "endpoint_busy");
      world.clock.advance(SECOND_MS);
      envelopeOf(await search(world, subject));
    });
  }),
  world("cap-video", "5 raw videos a second", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      for (let i = 0; i < 5; i++) envelopeOf(await video(world, subject));
      expectError(await video(world, subject), "endpoint_busy");
      envelopeOf(await search(world, subject));
      world.clock.advance(SECOND_MS);
      envelopeOf(await video(world, subject));
    });
  }),
  world("quota", "1000 free calls a month, then calls are charged", async (subject) => {
    await subject.world!({}, async (world) => {
      const first = envelopeOf(await video(world, subject)).meta;
      assert.deepEqual([first.billed, first.used_free_quota, first.free_quota_remaining], [false, true, 999]);
      await useFreeQuota(world);
      const after = envelopeOf(await video(world, subject)).meta;
      assert.deepEqual([after.billed, after.used_free_quota, after.free_quota_remaining], [true, false, 0]);
    });
  }),
  world("quota-month", "the quota is that of the month in Asia/Singapore", async (subject) => {
    await subject.world!({}, async (world) => {
      world.clock.set(END_OF_MAY);
      await useFreeQuota(world);
      assert.equal(envelopeOf(await video(world, subject)).meta.used_free_quota, false);
      world.clock.advance(1);
      const { meta } = envelopeOf(await video(world, subject));
      assert.deepEqual([meta.used_free_quota, meta.free_quota_remaining], [true, 999]);
    });
  }),
  world("quota-eligible", "only free-eligible endpoints use the quota", async (subject) => {
    await subject.world!({}, async (world) => {
      const eligible = [await search(world, subject), await video(world, subject)];
      for (const outcome of eligible) assert.equal(envelopeOf(outcome).meta.used_free_quota, true);
      const ineligible = subject.catalogue.filter(({ freeEligible }) => !freeEligible);
      assert.ok(ineligible.some(({ id }) => id === "raw.short-video.comments"));
      const { meta } = envelopeOf(await comments(world, subject));
      assert.deepEqual([meta.used_free_quota, meta.free_quota_remaining], [false, 998]);
    });
  }),
  world("quota-meta", "a covered call is not billed and lowers the quota by one", async (subject) => {
    await subject.world!({}, async (world) => {
      const [before, after] = [await search(world, subject), await search(world, subject)].map(
        (outcome) => envelopeOf(outcome).meta,
      );
      assert.equal(after!.free_quota_remaining, before!.free_quota_remaining - 1);
      assert.deepEqual([after!.charged_usd, after!.balance_usd], ["0.000000", before!.balance_usd]);
    });
  }),
  charges("search", "a search is charged 0.004000", search, "0.004000"),
  charges("video", "a raw video is charged 0.001500", video, "0.001500"),
  charges("comments", "a raw comments page is charged 0.001500", comments, "0.001500"),
  world("empty-free", "an empty result is free and uses no quota", async (subject) => {
    await subject.world!({}, async ({ account, call }) => {
      const before = await account.state();
      const { absentItemId: item_id } = subject.samples;
      for (const id of ["raw.short-video.video", "raw.short-video.comments"]) {
        const { meta } = envelopeOf(await call(id, { item_id }));
        assert.deepEqual([meta.empty, meta.billed, meta.charged_usd], [true, false, "0.000000"]);
        assert.equal(meta.used_free_quota, false);
      }
      assert.deepEqual(await account.state(), before);
    });
  }),
  assumedWorld(
    "empty-without-funds",
    "an empty balance does not answer what would be empty",
    async (subject) => {
      await subject.world!({ balanceUsd: "0" }, async ({ call }) => {
        const { absentItemId: item_id } = subject.samples;
        expectError(await call("raw.short-video.comments", { item_id }), "insufficient_credits");
      });
    },
  ),
  rule("header-request-id", "X-Request-Id is the request_id", async ({ call, samples }) => {
    const outcome = await call("search", { query: samples.query });
    assert.equal(outcome.headers["x-request-id"], envelopeOf(outcome).request_id);
  }),
  rule("header-charged", "X-Service-Charged is meta.charged_usd", async ({ call, samples }) => {
    const outcome = await call("search", { query: samples.query });
    assert.equal(outcome.headers["x-service-charged"], envelopeOf(outcome).meta.charged_usd);
  }),
  rule("header-balance", "X-Service-Balance is meta.balance_usd", async ({ call, samples }) => {
    const outcome = await call("search", { query: samples.query });
    assert.equal(outcome.headers["x-service-balance"], envelopeOf(outcome).meta.balance_usd);
  }),
  rule("header-rate", "X-RateLimit-Limit and -Remaining are whole numbers", async ({ call, samples }) => {
    const { headers } = await call("search", { query: samples.query });
    assert.match(headers["x-ratelimit-limit"] ?? "", /^[0-9]+$/);
    assert.match(headers["x-ratelimit-remaining"] ?? "", /^[0-9]+$/);
  }),
  world("header-rate-values", "X-RateLimit-* speak of the account's minute", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      const rate = async () => {
        const { headers } = await search(world, subject);
        return [headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]];
      };
      assert.deepEqual(
        [await rate(), await rate()],
        [
          ["60", "59"],
          ["60", "58"],
        ],
      );
      await world.account.topUp(parseUsd("1"));
      assert.deepEqual(await rate(), ["600", "597"]);
    });
  }),
  assumedWorld("sandbox", "a new account holds 100.000000 USD and is not topped up", async (subject) => {
    await subject.world!({ limits: "on" }, async (world) => {
      const { headers, ...outcome } = await video(world, subject);
      assert.equal(envelopeOf({ headers, ...outcome }).meta.balance_usd, "100.000000");
      assert.equal(headers["x-ratelimit-limit"], "60");
    });
  }),
  assumedWorld("concurrent", "calls at once cannot spend more than there is", async (subject) => {
    await subject.world!({ balanceUsd: "0.015000" }, async (world) => {
      const outcomes = await Promise.all(Array.from({ length: 25 }, () => comments(world, subject)));
      const count = (status: number) => outcomes.filter((outcome) => outcome.status === status).length;
      assert.deepEqual([count(200), count(402)], [10, 15]);
      assert.equal((await world.account.state()).balance, 0n);
    });
  }),
];

const SECTION_9: readonly Rule[] = [
  nine.rule("prefix", "all paths are prefixed /v1", async ({ catalogue }) => {
    for (const { path } of catalogue) assert.ok(path.startsWith("/v1/"));
  }),
  nine.rule("description-version", "the description version is 0.1.0", async ({ catalogue }) => {
    assert.equal((openApiDocument(catalogue).info as { version: string }).version, "0.1.0");
  }),
  nine.rule("markers", "endpoints carry maturity and availability markers", async ({ catalogue }) => {
    for (const { maturity, availability } of catalogue) {
      assert.ok(["beta", "stable"].includes(maturity));
      assert.ok(["live", "coming_soon"].includes(availability));
    }
  }),
];

/** Service.md sections 8 and 9: limits, billing, headers, versioning. */
export const SECTIONS_8_AND_9: readonly Rule[] = [...SECTION_8_RULES, ...SECTION_9];

import assert from "node:assert/strict";
import { ApiError, LakeError } from "../../contract/errors.js";
import { METHOD_NOT_ALLOWED } from "../../contract/service/envelope.js";
import { envelopeOf, expectError, expectInvalid } from "../checks.js";
import { type Rule, type Subject, section, type World } from "../rule.js";

const { rule, wire, world, assumed, assumedWire, assumedWorld } = section("7");

/** Runs a call that must fail, and asserts that it moved no money and no quota. */
async function free(world: World, fail: () => Promise<void>): Promise<void> {
  const before = await world.account.state();
  await fail();
  const { balance, freeQuotaRemaining } = await world.account.state();
  assert.deepEqual([balance, freeQuotaRemaining], [before.balance, before.freeQuotaRemaining]);
}

const gateway = (code: "bad_gateway" | "gateway_timeout" | "service_unavailable", status: number) =>
  assumedWorld(
    `status-${status}`,
    `${status} has the error envelope and is not charged`,
    async ({ samples, world }) => {
      await world!({ fault: new ApiError(code) }, (world) =>
        free(world, async () => {
          expectError(await world.call("search", { query: samples.query }), code);
        }),
      );
    },
  );

const video = ({ samples }: Subject) => ({ item_id: samples.itemId });

/** Service.md section 7: errors. */
export const SECTION_7: readonly Rule[] = [
  rule("status-400", "a bad parameter is 400 invalid_params", async ({ call }) => {
    expectInvalid(await call("search", {}), "query");
  }),
  world("status-400-free", "a 400 is not charged", async ({ world }) => {
    await world!({}, (world) =>
      free(world, async () => void expectError(await world.call("search", {}), "invalid_params")),
    );
  }),
  world("status-401", "a wrong key is 401, not charged", async ({ samples, world }) => {
    await world!({}, (world) =>
      free(world, async () => {
        expectError(await world.call("search", { query: samples.query }, "ml_wrong"), "invalid_api_key");
      }),
    );
  }),
  world("status-402", "insufficient credits are 402, not charged", async (subject) => {
    await subject.world!({ balanceUsd: "0.001499" }, (world) =>
      free(world, async () => {
        expectError(await world.call("raw.short-video.comments", video(subject)), "insufficient_credits");
      }),
    );
  }),
  assumedWorld("exact-balance", "a balance of the price is enough", async (subject) => {
    await subject.world!({ balanceUsd: "0.001500" }, async ({ call }) => {
      const { meta } = envelopeOf(await call("raw.short-video.comments", video(subject)));
      assert.equal(meta.balance_usd, "0.000000");
    });
  }),
  world("status-403", "a missing scope is 403, not charged", async (subject) => {
    await subject.world!({}, (world) =>
      free(world, async () => {
        const key = world.account.sessionKey(["search"]);
        expectError(await world.call("raw.short-video.video", video(subject), key), "forbidden");
      }),
    );
  }),
  assumedWire("status-404", "an unknown path, platform or resource is 404", async ({ apiKey, send }) => {
    const headers = { "x-api-key": apiKey };
    for (const path of [
      "/v1/none",
      "/v1",
      "/v1/",
      "/v1/raw/none/video",
      "/v1/raw/short-video/none",
      "/v1/raw/short-video/video/",
    ])
      expectError(await send!({ method: "GET", path, headers }), "not_found");
  }),
  assumed(
    "absent-is-empty",
    "a well-formed id of nothing is not 404 but empty",
    async ({ call, samples }) => {
      const { data, meta } = envelopeOf(
        await call("raw.short-video.video", { item_id: samples.absentItemId }),
      );
      assert.deepEqual([data, meta.empty, meta.billed], [null, true, false]);
    },
  ),
  wire("status-405", "405 has the body {detail: Method Not Allowed}, not the envelope", async ({ send }) => {
    const { status, body } = await send!({ method: "PUT", path: "/v1/search", body: "{}" });
    assert.equal(status, 405);
    assert.deepEqual(body, METHOD_NOT_ALLOWED);
  }),
  world(
    "status-429-account",
    "over the account's rate is 429 with Retry-After, not charged",
    async ({ samples, world }) => {
      await world!({ limits: "on" }, async (world) => {
        const { clock, call } = world;
        for (let i = 0; i < 60; i++) {
          envelopeOf(await call("search", { query: samples.query, limit: 1 }));
          clock.advance(10);
        }
        await free(world, async () => {
          const outcome = await call("search", { query: samples.query });
          assert.equal(outcome.status, 429);
          assert.match(outcome.headers["retry-after"] ?? "", /^[1-9][0-9]*$/);
        });
      });
    },
  ),
  world(
    "status-429-endpoint",
    "over the endpoint's cap is 429 endpoint_busy with Retry-After",
    async (subject) => {
      await subject.world!({ limits: "on" }, async (world) => {
        for (let i = 0; i < 5; i++) envelopeOf(await world.call("raw.short-video.video", video(subject)));
        await free(world, async () => {
          const outcome = await world.call("raw.short-video.video", video(subject));
          expectError(outcome, "endpoint_busy");
          assert.match(outcome.headers["retry-after"] ?? "", /^[1-9][0-9]*$/);
        });
      });
    },
  ),
  world("retry-after", "after Retry-After, the call is answered", async (subject) => {
    await subject.world!({ limits: "on" }, async ({ clock, call }) => {
      for (let i = 0; i < 5; i++) await call("raw.short-video.video", video(subject));
      const busy = await call("raw.short-video.video", video(subject));
      clock.advance(Number(busy.headers["retry-after"]) * 1000);
      envelopeOf(await call("raw.short-video.video", video(subject)));
    });
  }),
  assumedWorld("code-rate-limited", "the code of the account's rate is rate_limited", async ({ world }) => {
    await world!({ limits: "on" }, async ({ account, call }) => {
      const principal = (await account.authenticate(account.sessionKey(["*"])))!;
      while ((await account.takeRate(principal)).allowed);
      expectError(await call("search", { query: "a" }), "rate_limited");
    });
  }),
  world("status-500", "500 is not charged", async ({ samples, world }) => {
    await world!({ fault: new Error("a fault of the test") }, (world) =>
      free(world, async () => {
        assert.equal((await world.call("search", { query: samples.query })).status, 500);
      }),
    );
  }),
  gateway("bad_gateway", 502),
  gateway("service_unavailable", 503),
  gateway("gateway_timeout", 504),
  assumedWorld("engine-gone", "an engine that cannot be reached is 503", async ({ samples, world }) => {
    const fault = new LakeError("disk_gone", "a fault of the test", { remedy: "none" });
    await world!({ fault }, async ({ call }) => {
      const { message } = expectError(await call("search", { query: samples.query }), "service_unavailable");
      assert.ok(!message.includes("a fault of the test"));
    });
  }),
  assumedWire("order-of-checks", "method, key, route, scope, parameters, in this order", async (subject) => {
    const { apiKey, send } = subject;
    const json = { "Content-Type": "application/json" };
    const wrong = { path: "/v1/none", headers: { ...json, "x-api-key": "ml_wrong" }, body: "{" };
    assert.equal((await send!({ ...wrong, method: "PATCH" })).status, 405);
    expectError(await send!({ ...wrong, method: "POST" }), "invalid_api_key");
    const keyed = { ...wrong, headers: { ...json, "x-api-key": apiKey } };
    expectError(await send!({ ...keyed, method: "POST" }), "not_found");
    expectError(await send!({ ...keyed, path: "/v1/search", method: "POST" }), "invalid_params");
  }),
  assumedWorld(
    "order-of-limits",
    "scope, parameters, rate, cap, funds, in this order",
    async ({ samples, world }) => {
      await world!({ limits: "on", balanceUsd: "0" }, async ({ account, apiKey, call }) => {
        const principal = (await account.authenticate(apiKey))!;
        const id = "raw.short-video.comments";
        const good = { item_id: samples.itemId };
        expectError(await call(id, {}, account.sessionKey(["search"])), "forbidden");
        expectError(await call(id, {}), "invalid_params");
        expectError(await call(id, good), "insufficient_credits");
        for (let i = 0; i < 19; i++) await call(id, good);
        expectError(await call(id, good), "endpoint_busy");
        while ((await account.takeRate(principal)).allowed);
        expectError(await call(id, good), "rate_limited");
        expectError(await call(id, {}), "invalid_params");
      });
    },
  ),
];

import assert from "node:assert/strict";
import { envelopeOf, expectError } from "../checks.js";
import { type Rule, section } from "../rule.js";

const { rule, wire, world, assumedWire, assumedWorld, untestable } = section("5");

const path = (itemId: string) => `/v1/raw/short-video/video?item_id=${itemId}`;

/** Service.md section 5: authentication. */
export const SECTION_5: readonly Rule[] = [
  wire("bearer", "Authorization: Bearer carries the key", async ({ apiKey, samples, send }) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    envelopeOf(await send!({ method: "GET", path: path(samples.itemId), headers }));
  }),
  wire("x-api-key", "x-api-key carries the key", async ({ apiKey, samples, send }) => {
    envelopeOf(await send!({ method: "GET", path: path(samples.itemId), headers: { "x-api-key": apiKey } }));
  }),
  assumedWire("both", "with both headers, the Bearer key counts", async ({ apiKey, samples, send }) => {
    const get = (bearer: string, other: string) =>
      send!({
        method: "GET",
        path: path(samples.itemId),
        headers: { Authorization: `Bearer ${bearer}`, "x-api-key": other },
      });
    envelopeOf(await get(apiKey, "ml_wrong"));
    expectError(await get("ml_wrong", apiKey), "invalid_api_key");
  }),
  assumedWire(
    "other-scheme",
    "another scheme leaves the word to x-api-key",
    async ({ apiKey, samples, send }) => {
      const headers = { Authorization: "Basic dXNlcjpwYXNz", "x-api-key": apiKey };
      envelopeOf(await send!({ method: "GET", path: path(samples.itemId), headers }));
    },
  ),
  wire("missing-key", "a missing key is 401 Invalid API key", async ({ samples, send }) => {
    const error = expectError(await send!({ method: "GET", path: path(samples.itemId) }), "invalid_api_key");
    assert.equal(error.message, "Invalid API key");
  }),
  rule("wrong-key", "a wrong key is 401 Invalid API key", async ({ call, samples }) => {
    const outcome = await call("raw.short-video.video", { item_id: samples.itemId }, "ml_wrong");
    assert.equal(expectError(outcome, "invalid_api_key").message, "Invalid API key");
  }),
  assumedWorld("revoked-key", "a revoked key is a wrong key", async ({ samples, world }) => {
    await world!({}, async ({ account, call }) => {
      const { id, apiKey } = await account.createKey({ scopes: ["*"] });
      envelopeOf(await call("search", { query: samples.query }, apiKey));
      await account.revokeKey(id);
      expectError(await call("search", { query: samples.query }, apiKey), "invalid_api_key");
    });
  }),
  world("scope-search", "search needs the scope search", async ({ samples, world }) => {
    await world!({}, async ({ account, call }) => {
      const search = (scope: string) => call("search", { query: samples.query }, account.sessionKey([scope]));
      envelopeOf(await search("search"));
      for (const scope of ["raw:short-video", "datasets", "account"])
        expectError(await search(scope), "forbidden");
    });
  }),
  world("scope-raw", "raw endpoints need the scope of their platform", async ({ samples, world }) => {
    await world!({}, async ({ account, call }) => {
      const video = (scope: string) =>
        call("raw.short-video.video", { item_id: samples.itemId }, account.sessionKey([scope]));
      envelopeOf(await video("raw:short-video"));
      for (const scope of ["search", "raw:forum", "raw:short-video-lite"])
        expectError(await video(scope), "forbidden");
    });
  }),
  world("scopes", "every operation has a scope", async ({ catalogue, world }) => {
    for (const { scope } of catalogue) assert.match(scope, /^(search|datasets|account|raw:[a-z][a-z0-9-]*)$/);
    await world!({}, async ({ account, call }) => {
      const key = account.sessionKey(["raw:no-such-platform"]);
      for (const { id } of catalogue) expectError(await call(id, {}, key), "forbidden");
    });
  }),
  untestable("console", "keys are created in the web console", "The console is not part of the API."),
];

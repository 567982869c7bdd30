import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import { connect } from "../../src/client/connect.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { ECHO_CATALOGUE, echoService } from "../service/echo-service.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
let remote: Client;
const sent: string[] = [];
beforeAll(async () => {
  built = await temporarySampleLake();
  lake = await openLake(built.path, { account: "memory" });
  remote = connect({
    baseUrl: "http://lake.example",
    apiKey: lake.apiKey,
    fetch: (input, init) => {
      sent.push(String(input instanceof Request ? input.url : input));
      return lake.fetch(input, init);
    },
  });
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

const refusal = (client: Client, id: string, params: Readonly<Record<string, unknown>>) =>
  client.call(id, params).then(
    () => "no refusal",
    ({ code, message, requestId }: { code: string; message: string; requestId: string }) => {
      expect(requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      return { code, message };
    },
  );

const { itemId } = SAMPLES;
test.each([
  ["a number for a text", "raw.short-video.video", { item_id: Number("7400000000000000123") }],
  ["a list for a text", "raw.short-video.video", { item_id: [itemId] }],
  ["null for a text", "raw.short-video.video", { item_id: null }],
  ["a list for a text of some values", "datasets.slices", { domain: ["web"] }],
  ["a list for a sort", "raw.short-video.comments", { item_id: itemId, sort: ["top"] }],
  ["null for a text of some values", "datasets.slices", { domain: null }],
  ["a Date for a time", "datasets.slices", { from: new Date(0) }],
  ["an object for no parameter", "datasets.slices", { nothing: {} }],
  ["text for a number", "raw.short-video.comments", { item_id: itemId, cursor: "0" }],
  ["a boolean for a number", "raw.short-video.comments", { item_id: itemId, count: true }],
  ["no number", "raw.short-video.comments", { item_id: itemId, count: Number.NaN }],
  ["a wrong type beside a wrong name", "raw.short-video.comments", { item_id: 5, page: 1 }],
  ["a text for a list", "account.usage", { by: "day" }],
  ["an empty list", "account.usage", { by: [] }],
])("%s is refused over a network as in process, before it is sent", async (_what, id, params) => {
  sent.length = 0;
  const inProcess = await refusal(lake, id, params);
  expect(inProcess).toMatchObject({ code: "invalid_params" });
  expect(await refusal(remote, id, params)).toEqual(inProcess);
  expect(sent).toEqual([]);
});

test("what has the right type is sent, for the service to judge", async () => {
  sent.length = 0;
  const video = { item_id: itemId, extra: undefined } as { item_id: string };
  expect((await remote.raw("short-video", "video", video)).data).toEqual(
    (await lake.raw("short-video", "video", video)).data,
  );
  const wrong = { item_id: "not digits" };
  expect(await refusal(remote, "raw.short-video.video", wrong)).toEqual(
    await refusal(lake, "raw.short-video.video", wrong),
  );
  const page = { item_id: itemId, cursor: "0", count: "2" };
  const options = { textual: true };
  expect((await remote.call("raw.short-video.comments", page as never, options)).data).toEqual(
    (await lake.call("raw.short-video.comments", page as never, options)).data,
  );
  expect(sent).toHaveLength(3);
});

test("a call of an endpoint that the client does not know is sent as it is", async () => {
  const echo = echoService();
  const asked: string[] = [];
  const stranger = connect({
    baseUrl: "http://service.example",
    apiKey: echo.apiKey,
    catalogue: ECHO_CATALOGUE,
    fetch: async (input) => {
      asked.push(String(input));
      return Response.json({ detail: "Not Found" }, { status: 404 });
    },
  });
  await stranger.call("raw.own-platform.thing", { id: 5, flags: [true, "x"] }).catch(() => {});
  expect(asked).toEqual(["http://service.example/v1/raw/own-platform/thing?id=5&flags=true&flags=x"]);
});

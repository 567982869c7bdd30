import assert from "node:assert/strict";
import { METHOD_NOT_ALLOWED } from "../../contract/service/envelope.js";
import { Domain } from "../../contract/service/platforms.js";
import { VECTOR_DIMENSIONS } from "../../contract/service/unified-record.js";
import { envelopeOf, expectError, expectInvalid, sampleRecords } from "../checks.js";
import { type Rule, type Subject, section } from "../rule.js";

const { rule, wire, world, assumedWire, untestable } = section("1");

/** Kinds of platform group that section 1 lists, as the catalogue names them, and how many platforms each has. */
const GROUPS: readonly (readonly [group: string, platforms: number])[] = [
  ["search", 0],
  ["short-video", 2],
  ["video-community", 2],
  ["creator-marketplace", 2],
  ["forum", 1],
  ["lifestyle-notes", 1],
  ["international-short-video", 1],
  ["microblog", 1],
  ["sea-marketplace", 1],
  ["global-marketplace", 1],
  ["travel-marketplace", 1],
  ["global-news", 1],
  ["brand-marketing", 2],
  ["account", 0],
];

const auth = ({ apiKey }: Subject) => ({ Authorization: `Bearer ${apiKey}` });
const json = (subject: Subject) => ({ ...auth(subject), "Content-Type": "application/json" });

const otherMethod = (method: string) =>
  wire(
    `method-${method.toLowerCase()}`,
    `${method} under /v1 is 405 with a framework body`,
    async (subject) => {
      for (const path of ["/v1/search", "/v1/raw/short-video/video", "/v1/no/such/path"]) {
        const { status, body } = await subject.send!({ method, path, headers: auth(subject) });
        assert.equal(status, 405);
        assert.deepEqual(body, METHOD_NOT_ALLOWED);
      }
    },
  );

/** Service.md section 1: what the service does. */
export const SECTION_1: readonly Rule[] = [
  ...Domain.options.map((domain) =>
    rule(`domain-${domain}`, `search returns ${domain} data`, async (subject) => {
      const records = await sampleRecords(subject, subject.samples, { domains: [domain] });
      assert.deepEqual([...new Set(records.map(({ src }) => src))], [domain]);
    }),
  ),
  rule("cross-domain", "one query is answered from all three domains", async (subject) => {
    const found = new Set((await sampleRecords(subject, subject.samples)).map(({ src }) => src));
    assert.deepEqual([...found].sort(), [...Domain.options].sort());
  }),
  rule("keyword-retrieval", "the words of one record alone find it first", async (subject) => {
    const { query, recordId } = subject.samples.rare;
    const records = await sampleRecords(subject, subject.samples, { query, limit: 1 });
    assert.equal(records[0]?.id, recordId);
  }),
  untestable(
    "semantic-retrieval",
    "retrieval is semantic too",
    "No answer tells which part of the ranking found it.",
  ),
  rule("raw", "raw endpoints give platform-native structures", async (subject) => {
    const { itemId: item_id } = subject.samples;
    for (const id of ["raw.short-video.video", "raw.short-video.comments"])
      assert.equal(envelopeOf(await subject.call(id, { item_id })).meta.empty, false);
  }),
  rule("slices", "dataset slices are answered as manifests", async (subject) => {
    const { data } = envelopeOf<{ items: unknown[] }>(await subject.call("datasets.slices", {}));
    assert.ok(data.items.length > 0);
  }),
  rule("endpoint-count", "the service has 73 endpoints", async ({ catalogue }) => {
    assert.equal(catalogue.length, 73);
    assert.equal(new Set(catalogue.map(({ method, path }) => `${method} ${path}`)).size, 73);
  }),
  rule("base-path", "every endpoint is under /v1", async ({ catalogue }) => {
    for (const { path } of catalogue) assert.match(path, /^\/v1\/./);
  }),
  rule(
    "vectors-and-provenance",
    "every search record carries 1536 numbers and a provenance",
    async (subject) => {
      for (const { vec, prov } of await sampleRecords(subject, subject.samples)) {
        assert.equal(vec?.length, VECTOR_DIMENSIONS);
        assert.ok(prov !== undefined);
      }
    },
  ),
  wire("get-query", "GET endpoints take query parameters", async (subject) => {
    const path = `/v1/raw/short-video/video?item_id=${subject.samples.itemId}`;
    envelopeOf(await subject.send!({ method: "GET", path, headers: auth(subject) }));
  }),
  wire("post-json-object", "POST endpoints take a JSON object body and nothing else", async (subject) => {
    const post = (body: string, headers = json(subject)) =>
      subject.send!({ method: "POST", path: "/v1/search", headers, body });
    envelopeOf(await post(JSON.stringify({ query: subject.samples.query })));
    for (const body of ["[]", '"text"', "7", "null", "true"]) expectInvalid(await post(body), "body");
  }),
  assumedWire(
    "malformed-json",
    "a body that is no JSON, or of another type, is invalid_params",
    async (subject) => {
      const post = (body: string, type: string) =>
        subject.send!({
          method: "POST",
          path: "/v1/search",
          headers: { ...auth(subject), "Content-Type": type },
          body,
        });
      expectInvalid(await post('{"query":', "application/json"), "body");
      expectInvalid(await post("query=a", "application/x-www-form-urlencoded"), "Content-Type");
    },
  ),
  ...["PUT", "DELETE", "PATCH", "OPTIONS"].map(otherMethod),
  assumedWire("method-of-path", "the other of GET and POST is 405 on a known path", async (subject) => {
    const search = await subject.send!({ method: "GET", path: "/v1/search", headers: auth(subject) });
    const video = { method: "POST", path: "/v1/raw/short-video/video", headers: json(subject), body: "{}" };
    for (const { status, body } of [search, await subject.send!(video)]) {
      assert.equal(status, 405);
      assert.deepEqual(body, METHOD_NOT_ALLOWED);
    }
  }),
  wire("method-before-key", "405 needs no key", async (subject) => {
    assert.equal((await subject.send!({ method: "DELETE", path: "/v1/search" })).status, 405);
  }),
  world("server-error", "an unexpected error is 500 with a plain-text body, not charged", async (subject) => {
    await subject.world!({ fault: new Error("a fault of the test") }, async ({ account, call }) => {
      const before = (await account.state()).balance;
      const { status, body } = await call("search", { query: subject.samples.query });
      assert.equal(status, 500);
      assert.equal(typeof body, "string");
      assert.ok(!String(body).includes("a fault of the test"));
      assert.equal((await account.state()).balance, before);
    });
  }),
  rule("unknown-parameter", "an unknown parameter is 400 invalid_params", async (subject) => {
    const { query, itemId: item_id } = subject.samples;
    expectInvalid(await subject.call("search", { query, colour: "red" }), "colour");
    expectInvalid(await subject.call("raw.short-video.video", { item_id, colour: "red" }), "colour");
    expectInvalid(await subject.call("raw.short-video.comments", { item_id, colour: "red" }), "colour");
    expectInvalid(await subject.call("datasets.slices", { colour: "red" }), "colour");
  }),
  rule("unknown-parameter-everywhere", "every endpoint refuses an unknown parameter", async (subject) => {
    for (const { id } of subject.catalogue)
      expectError(await subject.call(id, { no_such_parameter: "x" }), "invalid_params");
  }),
  ...GROUPS.map(([group, platforms]) =>
    rule(`group-${group}`, `the catalogue has the group ${group}`, async ({ catalogue }) => {
      const rows = catalogue.filter((row) => row.group === group);
      assert.ok(rows.length > 0);
      if (platforms > 0) assert.equal(new Set(rows.map(({ platform }) => platform)).size, platforms);
    }),
  ),
];

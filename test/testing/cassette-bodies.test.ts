import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forwardTo } from "../../src/cassette/forward-to.js";
import { readCassette } from "../../src/cassette/read-cassette.js";
import { type RecordOptions, recordFetch } from "../../src/cassette/record-fetch.js";
import { replayFetch } from "../../src/cassette/replay-fetch.js";
import { driftReport } from "../../src/compare/drift.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { startFetchServer } from "../../src/http/fetch-server.js";

interface Body {
  readonly status?: number;
  readonly type?: string;
  readonly content: string | Uint8Array;
}

/** Answers by the last part of the path; anything else echoes what was sent. */
const BODIES: Record<string, Body> = {};
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff, 0xfe, 0xc3, 0x28]);
const VECTOR = `[${Array.from({ length: 24 }, (_, i) => (i === 3 ? "1e-05" : i === 4 ? "1.0" : i === 5 ? "-0.0" : `0.${i + 1}`)).join(",")}]`;

let dir: string;
let service: Server;
let url: string;
let cassettes = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-bodies-"));
  service = createServer(async (incoming, outgoing) => {
    const sent: Buffer[] = [];
    for await (const chunk of incoming) sent.push(chunk as Buffer);
    const found = BODIES[new URL(incoming.url!, "http://x").pathname.split("/").at(-1)!];
    const { status = 200, type = "application/json", content } = found ?? { content: Buffer.concat(sent) };
    outgoing
      .writeHead(status, { "content-type": type })
      .end(status === 204 || status === 304 ? undefined : content);
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  service?.closeAllConnections();
  service?.close();
  await rm(dir, { recursive: true, force: true });
});

function newPath(): string {
  cassettes += 1;
  return join(dir, `${cassettes}.jsonl`);
}

/** Records requests through a proxy, and gives the answers of the service and of a server that replays them. */
async function recorded(
  ask: (url: string) => Promise<Response>,
  redact?: RecordOptions["redact"],
): Promise<{ path: string; before: Buffer; after: Buffer; status: number; type: string | null }> {
  const path = newPath();
  const record = await recordFetch({ cassette: path, redact });
  const proxy = await startFetchServer(forwardTo(url, record));
  const before = Buffer.from(await (await ask(proxy.url)).arrayBuffer());
  await proxy.close();
  await record.close();
  const replay = await startFetchServer(await replayFetch({ cassette: path, redact }));
  const answer = await ask(replay.url);
  const after = Buffer.from(await answer.arrayBuffer());
  await replay.close();
  return { path, before, after, status: answer.status, type: answer.headers.get("content-type") };
}

const get = (name: string) => (base: string) => fetch(`${base}/v1/${name}`);

describe("replayed bodies", () => {
  test.each([204, 304])("have the status %i, and none", async (status) => {
    BODIES.none = { status, content: "" };
    const { after, status: replayed } = await recorded(get("none"));
    expect([replayed, after.length]).toEqual([status, 0]);
  });

  test.each([
    ["a picture", "image/png", PNG],
    ["a text in another encoding", "text/plain; charset=iso-8859-1", Buffer.from("café", "latin1")],
    ["a text with a byte order mark", "text/plain", Buffer.from("\ufeffid,text\r\n")],
    ["a text with a null", "text/plain", Buffer.from("a\u0000b")],
    ["nothing", "text/plain", Buffer.from("")],
  ])("of %s are those that came", async (_, type, content) => {
    BODIES.body = { type, content };
    const { before, after, type: replayed } = await recorded(get("body"));
    expect(before).toEqual(Buffer.from(content));
    expect(after).toEqual(before);
    expect(replayed).toBe(type);
  });

  test.each([
    ["large integers", '{"data":{"id":7301234567890123457,"minus":-9007199254740993}}'],
    ["the order of members", '{"2024":1,"b":2,"10":3,"a":4,"1":5}'],
    [
      "how numbers are written",
      '{"one":1.0,"small":1e-05,"zero":-0,"long":0.12345678901234567890,"huge":1e400}',
    ],
    ["members that come twice", '{"a":1,"a":2}'],
    ["a member of an odd name", '{"__proto__":{"a":1},"":2}'],
    [
      "a list of large integers",
      `{"ids":[${Array.from({ length: 20 }, (_, i) => `7301234567890123${400 + i}`)}]}`,
    ],
    ["vectors", `{"data":[{"id":"a","vec":${VECTOR}},{"id":"b","vec":${VECTOR}}]}`],
    [
      "what a cassette writes itself",
      '{"data":[{"$same":"0123456789abcdef"},{"vec":{"$vec":"0123456789abcdef"}}]}',
    ],
    ["a number alone", "7301234567890123457"],
  ])("of JSON keep %s", async (_, content) => {
    BODIES.json = { content };
    const { path, after } = await recorded(get("json"));
    expect(after.toString()).toBe(content);
    // A second answer, which may name content of the first.
    const more = await recordFetch({ cassette: path });
    await more(`${url}/v1/json?again=1`);
    await more.close();
    const replay = await replayFetch({ cassette: path });
    expect(await (await replay("http://x/v1/json")).text()).toBe(content);
    expect(await (await replay("http://x/v1/json?again=1")).text()).toBe(content);
  });

  test("hold a repeated item and a vector once, however their numbers are written", async () => {
    const item = `{"id":7301234567890123457,"text":"${"boots ".repeat(30)}","vec":${VECTOR}}`;
    BODIES.items = { content: `{"data":[${item},${item}]}` };
    const { path, after } = await recorded(get("items"));
    expect(after.toString()).toBe(BODIES.items.content);
    const text = await readFile(path, "utf8");
    expect(text.split(VECTOR)).toHaveLength(2);
    expect(text.split("7301234567890123457")).toHaveLength(2);
  });
});

test("requests that differ in a large integer alone get their own answers", async () => {
  const path = newPath();
  const record = await recordFetch({ cassette: path });
  const ask = async (send: (url: string, init: RequestInit) => Promise<Response>, id: string) =>
    (await send(`${url}/v1/echo`, { method: "POST", body: `{"id":${id},"b":1.0}` })).text();
  const [one, two] = ["7301234567890123456", "7301234567890123457"];
  await ask(record, one);
  await ask(record, two);
  await record.close();
  const replay = await replayFetch({ cassette: path });
  expect(await ask(replay, two)).toContain(two);
  expect(await ask(replay, one)).toContain(one);
  const same = await replay(`${url}/v1/echo`, { method: "POST", body: `{ "b": 1, "id": ${one} }` });
  expect(await same.text()).toContain(one);
  const drift = await driftReport({ cassette: path, fetch, baseUrl: url, apiKey: "ml_any" }, CATALOGUE);
  expect(drift).toMatchObject({ requests: 2, differences: [] });
});

test("a query parameter of any name tells requests apart", async () => {
  const path = newPath();
  const record = await recordFetch({ cassette: path });
  BODIES.named = { content: '"one"' };
  await record(`${url}/v1/named?__proto__=1&10=a&9=b`);
  BODIES.named = { content: '"two"' };
  await record(`${url}/v1/named?10=a&9=b`);
  await record.close();
  const replay = await replayFetch({ cassette: path });
  expect(await (await replay("http://x/v1/named?9=b&10=a")).text()).toBe('"two"');
  expect(await (await replay("http://x/v1/named?9=b&10=a&__proto__=1")).text()).toBe('"one"');
});

describe("redaction", () => {
  test("takes texts out of numbers and of bytes that are no text, and short ones too", async () => {
    BODIES.secret = { content: `{"phone":4917012345678,"by":"Al","vec":${VECTOR},"likes":12}` };
    const redact = { texts: ["Al", /\d{13}/] };
    const { path, after } = await recorded(get("secret"), redact);
    expect(after.toString()).toBe(`{"phone":"REDACTED","by":"REDACTED","vec":${VECTOR},"likes":12}`);
    expect(await readFile(path, "utf8")).not.toMatch(/4917012345678|"Al"/);
    BODIES.secret = {
      type: "image/png",
      content: Buffer.concat([PNG, Buffer.from("4917012345678 Ål-secret")]),
    };
    const bytes = await recorded(get("secret"), { texts: ["Ål-secret", /\d{13}/] });
    expect(bytes.after).toEqual(Buffer.concat([PNG, Buffer.from("REDACTED REDACTED")]));
  });

  test("takes the keys of a request out wherever they were given", async () => {
    const path = newPath();
    const echo = async (input: string | URL | Request, init?: RequestInit) => {
      const { url: asked, headers } = new Request(input, init);
      const found = [headers.get("authorization"), headers.get("x-api-key")].join(" ");
      return Response.json({ found }, { headers: { location: asked, "x-found": found } });
    };
    const record = await recordFetch({ cassette: path, fetch: echo });
    await record("http://x/v1/a?API_Key=key%2Bin-query&page=1");
    await record("http://x/v1/b", {
      headers: { authorization: "Bearer bearer-key", "x-api-key": "second-key" },
    });
    await record("http://x/v1/c", { headers: { authorization: "Basic YmFzaWM6a2V5" } });
    await record.close();
    const text = await readFile(path, "utf8");
    for (const key of ["key%2Bin-query", "key+in-query", "bearer-key", "second-key", "YmFzaWM6a2V5"])
      expect(text).not.toContain(key);
    expect(text).toContain("page=1");
  });

  test("takes a sticky pattern's every match out, and has no option of another name", async () => {
    BODIES.sticky = { content: '{"a":"see x1 and x2"}' };
    const { after } = await recorded(get("sticky"), { texts: [/x\d/y] });
    expect(after.toString()).toBe('{"a":"see REDACTED and REDACTED"}');
    const wrong = { cassette: newPath(), redact: { field: ["a"] } as never };
    await expect(recordFetch(wrong)).rejects.toMatchObject({ code: "invalid_options" });
    await expect(replayFetch(wrong)).rejects.toMatchObject({ code: "invalid_options" });
  });

  test("takes fields out at any depth, also beside large integers", async () => {
    BODIES.fields = {
      content: '{"id":7301234567890123457,"author":{"Uid_Hash":12,"name":"a"},"token":null}',
    };
    const { after } = await recorded(get("fields"), { fields: ["uid_hash"] });
    expect(after.toString()).toBe(
      '{"id":7301234567890123457,"author":{"Uid_Hash":"REDACTED","name":"a"},"token":"REDACTED"}',
    );
  });
});

test("cassettes of earlier releases are read", async () => {
  const path = newPath();
  const vector = Array.from({ length: 16 }, (_, i) => i / 10);
  const item = { id: "a", text: "boots ".repeat(30), vec: { $vec: "b6fd97a3ae29d10c" } };
  const { digestOf } = await import("../../src/cassette/shared-content.js");
  const named = digestOf(JSON.stringify(vector));
  item.vec.$vec = named;
  const line = (name: string, response: object) =>
    JSON.stringify({
      at: "2026-01-01T00:00:00.000Z",
      ms: 3,
      request: { method: "GET", path: `/v1/${name}`, query: { a: ["1", "2"] } },
      response: { status: 200, headers: { "content-type": "application/json" }, ...response },
    });
  const lines = [
    '{"cassette":1}',
    JSON.stringify({ vector: named, values: vector }),
    line("first", { json: { data: [item], meta: { empty: false } } }),
    line("second", { json: { data: { items: [{ $same: digestOf(JSON.stringify(item)) }], total: 1 } } }),
    line("third", { text: "Internal Server Error", status: 500 }),
    line("fourth", { text: "", status: 204 }),
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  expect((await readCassette(path)).calls).toHaveLength(4);
  // As editors leave it.
  await writeFile(path, `\ufeff${lines.join("\r\n")}\r\n\r\n\n`);
  const replay = await replayFetch({ cassette: path });
  const ask = async (name: string) => (await replay(`http://x/v1/${name}?a=1&a=2`)).text();
  const whole = { ...item, vec: vector };
  expect(await ask("first")).toBe(JSON.stringify({ data: [whole], meta: { empty: false } }));
  expect(await ask("second")).toBe(JSON.stringify({ data: { items: [whole], total: 1 } }));
  expect(await ask("third")).toBe("Internal Server Error");
  expect(await ask("fourth")).toBe("");
});

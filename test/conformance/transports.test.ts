import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EndpointCaps } from "../../src/account/endpoint-caps.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { systemClock } from "../../src/clock.js";
import { type OpenSubject, openLocalSubject } from "../../src/conformance/local-subject.js";
import { openRemoteSubject, remoteSubject } from "../../src/conformance/remote-subject.js";
import { RULES } from "../../src/conformance/rules.js";
import { type RuleResult, runRule, runRules, scoreOf, scoreTable } from "../../src/conformance/score.js";
import { clientTransport, fourTransports } from "../../src/conformance/transports.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { HANDLERS } from "../../src/endpoints/handlers.js";
import { startServer } from "../../src/http/server.js";
import { Lake } from "../../src/lake/lake.js";
import { createService } from "../../src/service/pipeline.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
let lake: Lake;

beforeAll(async () => {
  built = await temporarySampleLake();
  lake = await Lake.open(built.path);
});

afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

test("every rule has a name of its own", () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

const results: RuleResult[] = [];

describe.each(fourTransports((service) => startServer(service)))("$name", (transport) => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openLocalSubject(transport, { lake });
  });
  afterAll(() => subject?.close());

  test.each(RULES)("$id: $says", async (rule) => {
    const result = await runRule(rule, subject);
    results.push(result);
    if (result.result === "failed") throw result.error;
  });
});

test.each([undefined, "records", "vectors+provenance"])(
  "a search of format %s has one text by every transport",
  async (format) => {
    const texts: string[] = [];
    for (const transport of fourTransports((service) => startServer(service))) {
      const subject = await openLocalSubject(transport, { lake });
      const { query } = subject.samples;
      const { body } = await subject.call("search", format === undefined ? { query } : { query, format });
      await subject.close();
      // Numbers of a vector are written as short as 32 bits allow.
      const data = (body as { data: { vec?: Iterable<number> }[] }).data.map((record) =>
        record.vec === undefined ? record : { ...record, vec: Float32Array.from(record.vec) },
      );
      expect(data.length).toBeGreaterThan(10);
      texts.push(JSON.stringify(data));
    }
    expect(new Set(texts).size).toBe(1);
  },
);

describe("a remote service", () => {
  const env = process.env;
  const remote = env.MIRRORLAKE_REMOTE_URL === undefined ? [] : [env];
  test.each(remote)("keeps every rule that can be checked from afar", async (env) => {
    const found = await runRules(RULES, (await remoteSubject(env))!);
    expect(found.filter(({ result }) => result === "failed")).toEqual([]);
  });

  test("is asked like a server of our own", async () => {
    const account = openMemoryAccount({ limits: "off" });
    const ours = await openLocalSubject(clientTransport, { lake });
    const server = await startServer(
      createService({
        lake,
        account,
        caps: new EndpointCaps(),
        catalogue: CATALOGUE,
        handlers: HANDLERS,
        clock: systemClock,
        asOf: "corpus",
        limits: "off",
        ids: randomUUID,
      }),
    );
    const subject = openRemoteSubject(server.url, account.sessionKey(["*"]), ours.samples);
    const found = await runRules(RULES, subject);
    await server.close();
    await ours.close();
    expect(found.filter(({ result }) => result === "failed")).toEqual([]);
    expect(found.filter(({ result }) => result === "passed").length).toBeGreaterThan(100);
  });
});

test("docs/parity.md has the score", () => {
  const document = readFileSync(new URL("../../docs/parity.md", import.meta.url), "utf8");
  const table = /<!-- parity:begin -->\n([\s\S]*?)<!-- parity:end -->/.exec(document)?.[1];
  expect(table, "run npm run task parity").toBe(`\n${scoreTable(scoreOf(results))}\n`);
});

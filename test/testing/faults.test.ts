import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { FaultInjector } from "../../src/faults/fault-injector.js";
import type { FaultInput } from "../../src/faults/fault-plan.js";
import type { RunningServer } from "../../src/http/server.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { temporarySampleLake } from "../support/sample-lake.js";
import { callers, spent } from "./doors.js";

const STATUSES: [FaultInput, string][] = [
  [{ fault: "status", status: 401 }, "401 invalid_api_key"],
  [{ fault: "status", status: 402 }, "402 insufficient_credits"],
  [{ fault: "status", status: 403 }, "403 forbidden"],
  [{ fault: "status", status: 429 }, "429 rate_limited"],
  [{ fault: "status", status: 429, code: "endpoint_busy", retryAfterS: 3 }, "429 endpoint_busy"],
  [{ fault: "status", status: 500 }, "500"],
  [{ fault: "status", status: 502 }, "502 bad_gateway"],
  [{ fault: "status", status: 503, retryAfterS: 2 }, "503 service_unavailable"],
  [{ fault: "status", status: 504 }, "504 gateway_timeout"],
];
/** With the outcome, and whether the service had answered, so that it charges. */
const WIRE: [FaultInput, string, boolean][] = [
  [{ fault: "drop" }, "broken", false],
  [{ fault: "cut" }, "broken", true],
  [{ fault: "cut", share: 0 }, "broken", true],
  [{ fault: "short" }, "not json", true],
  [{ fault: "malformed-json" }, "not json", true],
  [{ fault: "malformed-chunk" }, "broken", true],
];
const CLIENTS = ["connect", "fetch", "axios"];
const COMMENTS = Array.from({ length: 12 }, (_, i) => ({
  platform: "short-video",
  resource: "comment",
  id: `c${i}`,
  parent: "7301234567890123456",
  lang: "en",
  created_at: "2026-01-01T00:00:00Z",
  score: 100 - i,
  data: { cid: `c${i}`, text: `comment ${i}` },
}));

let lake: TestLake;
let server: RunningServer;
beforeAll(async () => {
  lake = await createTestLake({
    records: [{ platform: "forum", lang: "en", text: "Hiking boots that survive rain" }],
    raw: COMMENTS,
    limits: "off",
    freeCalls: 500,
  });
  server = await lake.serve();
});
afterAll(async () => lake?.close());

describe.each(["serve", "lake.fetch"])("over %s", (door) => {
  const caller = (client: string) =>
    door === "serve"
      ? callers(server.url, lake.apiKey)[client]!
      : callers("http://lake.test", lake.apiKey, lake.fetch)[client]!;

  describe.each(CLIENTS)("%s", (client) => {
    test.each(STATUSES)("meets %j as %s, uncharged", async (fault, outcome) => {
      lake.faults.set([{ ...fault, at: 1 }]);
      const before = await spent(lake);
      expect(await caller(client)()).toBe(outcome);
      expect(await spent(lake)).toBe(before);
      expect(await caller(client)()).toBe("ok");
      expect(await spent(lake)).not.toBe(before);
    });

    test.each(WIRE)("meets %j as %s, charged: %s", async (fault, outcome, charged) => {
      lake.faults.set([{ ...fault, at: 1 }]);
      const before = await spent(lake);
      expect(await caller(client)()).toBe(outcome);
      expect((await spent(lake)) !== before).toBe(charged);
      expect(await caller(client)()).toBe("ok");
    });

    test("gives up on a hang, which charges nothing", async () => {
      lake.faults.set([{ fault: "hang", at: 1 }]);
      const before = await spent(lake);
      const abort = new AbortController();
      const hanging = caller(client)(abort.signal);
      // Not after a time: on a busy machine the call may not be there yet.
      await vi.waitFor(() => expect(lake.faults.applied).toHaveLength(1), { timeout: 60_000 });
      abort.abort();
      expect(await hanging).toMatch(/Abort|Cancel/);
      expect(await spent(lake)).toBe(before);
      lake.faults.set([
        { fault: "latency", ms: 2 },
        { fault: "slow", medianMs: 1 },
      ]);
      expect(await caller(client)()).toBe("ok");
      expect(lake.faults.applied.map(({ fault }) => fault)).toEqual(["latency", "slow"]);
    });
  });
});

describe("faults", () => {
  test("make comment pages overlap and shrink, without losing what they do not take", async () => {
    const all = async () => {
      const found: string[] = [];
      for await (const comment of lake.items("raw.short-video.comments", {
        item_id: "7301234567890123456",
        count: 5,
      }))
        found.push((comment as { cid: string }).cid);
      return found;
    };
    lake.faults.set([{ fault: "overlap", endpoint: "raw.*.comments", items: 2 }]);
    const whole = COMMENTS.map(({ id }) => id);
    expect(await all()).toEqual(whole);
    expect(lake.faults.applied.length).toBeGreaterThan(3);
    lake.faults.set([{ fault: "shrink", endpoint: "raw.*.comments", at: 1, items: 2 }]);
    expect(await all()).toEqual(whole.filter((id) => id !== "c3" && id !== "c4"));
  });

  test("move the service clock", async () => {
    lake.faults.set([{ fault: "clock-jump", ms: -5_000, at: 2 }]);
    const start = lake.clock.now();
    await lake.search({ query: "boots" });
    expect(lake.clock.now()).toBe(start);
    await lake.search({ query: "boots" });
    expect(lake.clock.now()).toBe(start - 5_000);
  });

  test("wait in the clock's time where asked to", async () => {
    lake.faults.set([{ fault: "latency", ms: 3_600_000, time: "virtual", at: 1 }]);
    const call = lake.search({ query: "boots" });
    await lake.clock.run("1h");
    expect((await call).data).toHaveLength(1);
  });

  test("are drawn from the seed, at their rate", () => {
    const outcomes = (seed: number) => {
      const injector = new FaultInjector({ seed, faults: [{ fault: "drop", rate: 0.2 }] });
      return Array.from({ length: 500 }, () => injector.next("search").length).join("");
    };
    expect(outcomes(1)).toBe(outcomes(1));
    expect(outcomes(1)).not.toBe(outcomes(2));
    const share = outcomes(1).split("1").length - 1;
    expect(share).toBeGreaterThan(75);
    expect(share).toBeLessThan(125);
  });

  test("count the calls of their endpoint: after, every, times, and the first that ends a call", () => {
    const injector = new FaultInjector([
      { fault: "status", status: 503, endpoint: "raw.*", after: 1, every: 2, times: 2 },
      { fault: "status", status: 500, endpoint: "*", at: 3 },
    ]);
    const names = [
      "search",
      "raw.forum.post",
      "raw.forum.post",
      "raw.forum.post",
      ...Array(6).fill("raw.a.b"),
    ];
    const met = names.map((name) => injector.next(name).map((rule) => (rule as { status: number }).status));
    expect(met).toEqual([[], [], [500], [503], [], [503], [], [], [], []]);
  });

  test("are refused with what is wrong", () => {
    expect(() => new FaultInjector([{ fault: "status", status: 418 } as never])).toThrow(/418/);
    expect(() => new FaultInjector([{ fault: "stat" } as never])).toThrow(
      expect.objectContaining({ code: "invalid_faults" }),
    );
  });

  test("name endpoints of the lake: another name is refused with the nearest, and changes nothing", async () => {
    const of = (endpoint: string) => [{ fault: "drop", endpoint }] as const;
    const refused = (endpoint: string, nearest: string) => ({
      name: "UsageError",
      code: "invalid_faults",
      value: endpoint,
      message: expect.stringContaining(
        `${JSON.stringify(endpoint)}; did you mean ${JSON.stringify(nearest)}?`,
      ),
    });
    const records = [{ platform: "own-forum", lang: "en", text: "boots" }];
    const platforms = [{ slug: "own-forum", code: "own", domain: "social", name: "Own forum" }] as never;
    await expect(createTestLake({ faults: of("serach") })).rejects.toMatchObject(refused("serach", "search"));
    await using own = await createTestLake({ records, platforms, faults: of("search") });
    await expect(own.fork({ faults: of("Search") })).rejects.toMatchObject(refused("Search", "search"));
    expect(() => own.faults.set(of("raw.*.coments"))).toThrow(
      expect.objectContaining(refused("raw.*.coments", "raw.*.comments")),
    );
    expect(() => own.faults.add(...of("raw.own-form.post"))).toThrow(
      expect.objectContaining(refused("raw.own-form.post", "raw.own-forum.post")),
    );
    expect(own.faults.faults.map(({ endpoint }) => endpoint)).toEqual(["search"]);
    own.faults.set(of("raw.own-forum.*"));
    own.faults.set([...of("*"), { fault: "drop" }]);
    expect(() => own.faults.set(of("nothing.at.all"))).toThrow(/no endpoint.*"nothing.at.all"$/);

    const built = await temporarySampleLake();
    try {
      const open = () => openLake(built.path, { account: "memory", faults: new FaultInjector(of("serach")) });
      await expect(open()).rejects.toMatchObject(refused("serach", "search"));
    } finally {
      await built.remove();
    }
  });

  test("are read and changed over HTTP only by who has a key", async () => {
    const { createFaultSite } = await import("../../src/http/fault-site.js");
    lake.faults.clear();
    const permits = async (key?: string) => (await lake.account.authenticate(key)) !== undefined;
    const controlled = await lake.serve({ site: createFaultSite(lake.faults, permits) });
    const ask = (method: string, body?: string, key = lake.apiKey) =>
      fetch(`${controlled.url}/_mirrorlake/faults`, {
        method,
        headers: { "x-api-key": key },
        ...(body === undefined ? {} : { body }),
      });
    expect((await ask("PUT", "[]", "ml_wrong")).status).toBe(401);
    expect((await ask("PUT", '[{"fault":"stat"}]')).status).toBe(400);
    expect((await ask("PUT", "{")).status).toBe(400);
    const wrong = await ask("PUT", '[{"fault":"drop","endpoint":"serach"}]');
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("did you mean")]);
    expect((await ask("PUT", '[{"fault":"status","status":503}]')).status).toBe(200);
    expect(await callers(controlled.url, lake.apiKey).fetch!()).toBe("503 service_unavailable");
    expect(((await (await ask("GET")).json()) as { applied: unknown[] }).applied).toHaveLength(1);
    await ask("DELETE");
    expect(await callers(controlled.url, lake.apiKey).fetch!()).toBe("ok");
    // Without being asked for there is no such path.
    expect((await fetch(`${server.url}/_mirrorlake/faults`)).status).toBe(404);
  });
});

describe("closing a lake", () => {
  const HANG = [{ fault: "hang" }] as const;
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => "answered",
      () => "ended",
    );

  test("ends a test lake's call that has only begun, and is not in its hang yet", async () => {
    const own = await createTestLake({
      records: [{ platform: "forum", lang: "en", text: "boots" }],
      faults: [...HANG],
    });
    await own.reset();
    const call = outcome(own.search({ query: "boots" }));
    await own.close();
    expect(await call).toBe("ended");
  });

  test("ends its own calls alone, begun or hanging, where lakes share an injector", async () => {
    const built = await temporarySampleLake();
    try {
      const faults = new FaultInjector([...HANG]);
      const open = () => openLake(built.path, { account: "memory", faults });
      const [first, second] = [await open(), await open()];
      let ended = 0;
      const count = () => {
        ended += 1;
      };
      const other = second.search({ query: "boots" }).catch(count);
      await vi.waitFor(() => expect(faults.applied).toHaveLength(1));
      const own = outcome(first.search({ query: "boots" }));
      await first.close();
      expect(await own).toBe("ended");

      const later = second.search({ query: "boots" }).catch(count);
      await vi.waitFor(() => expect(faults.applied).toHaveLength(3));
      await new Promise(setImmediate);
      expect(ended).toBe(0);
      await second.close();
      await Promise.all([other, later]);
      expect(ended).toBe(2);
    } finally {
      await built.remove();
    }
  });

  test("is not needed to end the calls that hang now; later ones hang again", async () => {
    lake.faults.set([...HANG]);
    const first = outcome(lake.search({ query: "boots" }));
    await vi.waitFor(() => expect(lake.faults.applied).toHaveLength(1));
    lake.faults.end();
    expect(await first).toBe("ended");
    const abort = new AbortController();
    const second = lake.search({ query: "boots" }, { signal: abort.signal });
    await vi.waitFor(() => expect(lake.faults.applied).toHaveLength(2));
    abort.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    lake.faults.clear();
  });
});

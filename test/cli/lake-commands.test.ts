import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Interruption } from "../../src/cli/context.js";
import { displayWidth } from "../../src/cli/format/display-width.js";
import { openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { envelopeSchema } from "../../src/contract/service/envelope.js";
import { UnifiedRecord } from "../../src/contract/service/unified-record.js";
import { authorSaltOf } from "../../src/lake/author-salt.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { capture } from "./capture.js";

let lake: TemporaryLake;
beforeAll(async () => {
  lake = await temporarySampleLake();
});
afterAll(() => lake?.remove());

const ask = (args: readonly string[], options: Parameters<typeof capture>[1] = {}) =>
  capture([...args, "--lake", lake.path], options);

const COMMENTS = ["raw", "short-video", "comments", "--item-id", SAMPLES.itemId];

describe("search", () => {
  test("--json prints the exact envelope of the client, vectors as numbers", async () => {
    const { code, out } = await ask(["search", SAMPLES.query, "--limit", "3", "--json"]);
    expect(code).toBe(0);
    const printed = JSON.parse(out);
    expect(envelopeSchema(UnifiedRecord.array()).safeParse(printed).error).toBeUndefined();
    const client = await openLake(lake.path);
    try {
      const answer = await client.search({ query: SAMPLES.query, limit: 3 });
      expect(printed.data).toEqual(JSON.parse(JSON.stringify(answer)).data);
      const vectors = printed.data.map(({ vec }: { vec: number[] }) => Float32Array.from(vec));
      expect(vectors).toEqual(answer.data.map(({ vec }) => vec));
    } finally {
      await client.close();
    }
  });

  test("prints headlines with their facts, and what the call cost", async () => {
    const { out } = await ask(["search", SAMPLES.query, "--limit", "3"], { columns: 60 });
    const headlines = out.split("\n").filter((line) => /^\d {2}/.test(line));
    expect(headlines).toHaveLength(3);
    for (const line of headlines) expect(displayWidth(line)).toBeLessThanOrEqual(60);
    expect(out).toMatch(/3 results · covered by the free quota · \d+ free calls left this month/);
  });

  test("takes domains and platforms repeated or separated by commas", async () => {
    const { out } = await ask([
      ...["search", SAMPLES.query, "--domain", "social,web", "--domain", "ecommerce", "--format", "records"],
      ...["--platform", SAMPLES.platform.slug, "--json"],
    ]);
    const { data } = JSON.parse(out) as { data: { platform: string; vec?: unknown; prov?: unknown }[] };
    expect(data.length).toBeGreaterThan(0);
    for (const record of data) {
      expect(record.platform).toBe(SAMPLES.platform.slug);
      expect(record).not.toHaveProperty("vec");
      expect(record).not.toHaveProperty("prov");
    }
  });

  test("says how to widen a search that finds nothing", async () => {
    const { code, out } = await ask(["search", SAMPLES.query, "--as-of", "2031-01-01T00:00:00Z"]);
    expect(code).toBe(0);
    expect(out).toContain("Nothing captured within 24h before as-of matches. Try --freshness 90d.");
    expect(out).toContain("empty, not charged");
  });

  test.each([
    [["--freshness", "91d"], "freshness"],
    [["--limit", "101"], "limit"],
    [["--limit", "0"], "limit"],
    [["--domain", "sports"], "domains"],
  ])("leaves it to the service to refuse %j", async (args, parameter) => {
    const { code, out } = await ask(["search", "x", ...args, "--json"]);
    expect(code).toBe(2);
    const { error } = JSON.parse(out) as { error: { code: string; message: string; request_id: string } };
    expect(error.code).toBe("invalid_params");
    expect(error.message).toContain(parameter);
    expect(error.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("looks at all of a lake where that is asked for", async () => {
    const { code, out } = await ask([
      "search",
      SAMPLES.query,
      "--as-of",
      "2031-01-01T00:00:00Z",
      "--freshness",
      "all",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out).data.length).toBeGreaterThan(0);
  });

  test("stops when told, with nothing printed but that", async () => {
    const { code, out, err } = await ask(["search", "x"], { signal: AbortSignal.abort() });
    expect({ code, out, err }).toEqual({ code: 130, out: "", err: "Interrupted.\n" });
  });

  test.each([
    ["id,titel", 'fields[1] is "titel", there is no such field, did you mean "title"?'],
    ["price.curent", 'fields[0] is "price.curent", there is no such field, did you mean "price.current"?'],
  ])("refuses --fields %s before it asks", async (fields, problem) => {
    const { code, err } = await ask(["search", SAMPLES.query, "--fields", fields]);
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });

  test.each([
    [["--fields", "id,extra.titel"], 'Hint: no result has "extra.titel"\n'],
    [["--fields", "id,prov.hash,vec"], ""],
  ])("with %j says which of the fields no result has", async (args, hint) => {
    const { code, err } = await ask(["search", SAMPLES.query, "--limit", "3", ...args]);
    expect({ code, err }).toEqual({ code: 0, err: hint });
  });

  test("of a raw answer too", async () => {
    for (const more of [[], ["--all"]]) {
      const { code, err } = await ask([...COMMENTS, "--fields", "cid,author.uid,txt", ...more]);
      expect(code).toBe(2);
      expect(err).toContain('fields[2] is "txt", there is no such field, did you mean "text"?');
    }
    const { code, err } = await ask(["raw", "forum", "posts", "--fields", "id,own"]);
    expect({ code, err }).toEqual({ code: 0, err: 'Hint: no item has "own"\n' });
  });

  test("finds the lake by the environment", async () => {
    const { code } = await capture(["search", "x"], { env: { MIRRORLAKE_LAKE: lake.path } });
    expect(code).toBe(0);
  });
});

describe("the lake of the demo", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "mirrorlake-cli-"));
    await mkdir(join(cwd, ".mirrorlake"));
    await symlink(lake.path, join(cwd, ".mirrorlake/demo"));
  });
  afterAll(() => rm(cwd, { recursive: true, force: true }));
  const note = "Using the demo's lake, .mirrorlake/demo: there is none at .mirrorlake/lake.";

  test.each([["search", SAMPLES.query], ["sql", "SELECT 1"], ["account", "show"], ["doctor"]])(
    "is asked where there is no other: %s",
    async (...args) => {
      const { code, out, err } = await capture([...args, "--json"], { cwd });
      expect(code).toBe(0);
      expect(err).toContain(note);
      expect(() => JSON.parse(out)).not.toThrow();
    },
  );

  test("is asked where the default lake has nothing but a salt", async () => {
    const lake = join(cwd, ".mirrorlake/lake");
    await authorSaltOf(lake);
    const { code, err } = await capture(["search", SAMPLES.query, "--json"], { cwd });
    await rm(lake, { recursive: true });
    expect(code).toBe(0);
    expect(err).toContain(note);
  });

  test("is not asked where another is named, and never changed", async () => {
    for (const args of [
      ["search", "x", "--lake", "elsewhere"],
      ["gc"],
      ["compact"],
      ["retain", "--older-than", "1d"],
    ]) {
      const { code, err } = await capture(args, { cwd });
      expect(code).not.toBe(0);
      expect(err).not.toContain(note);
    }
    const { err } = await capture(["search", "x"], { cwd, env: { MIRRORLAKE_LAKE: "elsewhere" } });
    expect(err).toContain("elsewhere");
  });
});

describe("raw", () => {
  test("a named option, --param and URL text say the same", async () => {
    const named = JSON.parse((await ask([...COMMENTS, "--count", "2", "--json"])).out);
    const given = JSON.parse(
      (
        await ask([
          ...["raw", "short-video", "comments", "--param", `item_id=${SAMPLES.itemId}`],
          ...["--param", "count=2", "--json"],
        ])
      ).out,
    );
    expect(named.data.items).toHaveLength(2);
    expect(given.data).toEqual(named.data);
  });

  test("--all goes to the end, each comment once", async () => {
    const { out } = await ask([...COMMENTS, "--count", "7", "--all", "--json"]);
    const { data } = JSON.parse(out) as { data: { items: { cid: string }[]; total: number } };
    expect(data.items).toHaveLength(SAMPLES.commentCount);
    expect(new Set(data.items.map(({ cid }) => cid)).size).toBe(data.total);
  });

  test("tells the cursor of the next page", async () => {
    const { out } = await ask([...COMMENTS, "--count", "2"]);
    expect(out).toContain(`2 of ${SAMPLES.commentCount} items, next: --cursor 2`);
  });

  test("an id that the lake does not hold is empty, not an error", async () => {
    const { code, out } = await ask(["raw", "short-video", "video", "--item-id", SAMPLES.absentItemId]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Nothing found\.\n0 items · empty, not charged/);
  });

  test("--all shows on a terminal how far it is, and clears that", async () => {
    const { out, err } = await ask([...COMMENTS, "--count", "5", "--all", "--json"], { isTty: true });
    expect(err.startsWith("\r\u001b[Kreading 5 items")).toBe(true);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
    expect(JSON.parse(out).data.items).toHaveLength(SAMPLES.commentCount);
  });

  test.each([
    [["raw", "no-such-platform", "video"], "not_found"],
    [["raw", "short-video", "video", "--item-id", "12"], "invalid_params"],
    [["raw", "short-video", "video", "--item-id", SAMPLES.absentItemId, "--q", "x"], "invalid_params"],
    [["raw", "short-video", "comments", "--all", "--param", "item_id=12"], "invalid_params"],
    [["raw", "short-video", "video", "--all", "--item-id", SAMPLES.itemId], "not_a_page"],
  ])("%j is refused with %s", async (args, expected) => {
    const { code, out } = await ask([...args, "--json"]);
    expect(code).toBe(expected === "not_found" ? 1 : 2);
    expect(JSON.parse(out).error.code).toBe(expected);
  });
});

describe("sql", () => {
  const ROWS = "SELECT id FROM records ORDER BY id";
  const CLEARED = "\r\u001b[K";

  test("shows on a terminal that a query runs, and clears that before its rows", async () => {
    for (const format of ["table", "jsonl"]) {
      const { code, out, err } = await ask(["sql", ROWS, "--format", format], { isTty: true });
      expect(code).toBe(0);
      expect(err.startsWith(`${CLEARED}querying 0 rows`)).toBe(true);
      expect(err.slice(0, err.lastIndexOf(CLEARED))).not.toBe("");
      expect(err.endsWith(CLEARED)).toBe(true);
      expect(out).toContain("eco_");
    }
    expect((await ask(["sql", ROWS, "--format", "jsonl"])).err).toBe("");
  });

  test("shows it no more among rows on the same terminal, of which it would clear the last", async () => {
    const many = "SELECT repeat('x', 200) AS text FROM range(9000)";
    const { out, err } = await ask(["sql", many, "--limit", "0", "--format", "json"], { isTty: true });
    expect(JSON.parse(out)).toHaveLength(9_000);
    // At the begin, and with the first of five batches.
    expect(err.split("querying").length - 1).toBeLessThanOrEqual(2);
  });

  test("says what writes all records, where its time is over", async () => {
    const endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b";
    const { code, err } = await ask(["sql", endless, "--timeout", "1"]);
    expect(code).toBe(1);
    expect(err).toContain("The query took longer than 1.0 s\n");
    expect(err).toContain("mirrorlake export");
  });
});

describe("remove", () => {
  test("shows on a terminal that it is at work, and clears that", async () => {
    const { code, err } = await ask(["remove", "--id", "web_wdc_no-such", "--reason", "test"], {
      isTty: true,
    });
    expect(code).toBe(0);
    expect(err.startsWith("\r\u001b[Kremoving: what goes with the targets")).toBe(true);
    expect(err).toMatch(/ 0\/1 targets/);
    expect(err).toContain("removed; hashing what is left");
    expect(err).toContain("\r\u001b[Kwarning: 1 target matched nothing");
  });

  test("that is interrupted once it holds says so, and ends at once", async () => {
    const dir = await mkdtemp(join(tmpdir(), "mirrorlake-interrupted-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    await cp(lake.path, dir, { recursive: true });
    const list = join(dir, "removals.jsonl");
    const controller = new AbortController();
    const { signal } = controller;
    const throwIfAborted = signal.throwIfAborted.bind(signal);
    signal.throwIfAborted = () => {
      if (existsSync(list) && readFileSync(list, "utf8").includes("web_wdc_gone"))
        controller.abort(new Interruption("SIGTERM"));
      throwIfAborted();
    };
    const args = ["remove", "--id", "web_wdc_gone", "--reason", "test", "--lake", dir];
    const { code, out, err } = await capture(args, { signal });
    expect(code).toBe(143);
    expect(out).toContain("1 target, 1 of them new");
    expect(err).toContain("All is removed; what is left is not hashed: it was interrupted.\n");
  });
});

describe("doctor", () => {
  test("ends by Ctrl-C where a server is silent", async () => {
    const controller = new AbortController();
    const silent = createServer(() => controller.abort(new Interruption("SIGINT")));
    await once(silent.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void silent.closeAllConnections());
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const address = `clickhouse://me@127.0.0.1:${port}/lake`;
    expect(await capture(["doctor", "--lake", address], { signal: controller.signal })).toMatchObject({
      code: 130,
      out: "",
    });
  });
});

describe("diff", () => {
  test("shows on a terminal that it compares, also where nothing differs, and clears that", async () => {
    const { code, out, err } = await ask(["diff", lake.path, lake.path], { isTty: true });
    expect(code).toBe(0);
    expect(out).toBe("records: 0 added, 0 removed, 0 changed\nraw items: 0 added, 0 removed, 0 changed\n");
    expect(err.startsWith("\r\u001b[Kcomparing 0 differences")).toBe(true);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
  });
});

describe("slices", () => {
  test("filters, and --all gives all of them over pages", async () => {
    const all = JSON.parse((await ask(["slices", "--all", "--limit", "3", "--json"])).out);
    expect(all.data.items.length).toBe(all.data.total);
    expect(all.data.total).toBeGreaterThan(3);
    const social = JSON.parse((await ask(["slices", "--domain", "social", "--limit", "100", "--json"])).out);
    const domains = social.data.items.map((slice: { mirrorlake: { filter: { domain: string } } }) => {
      return slice.mirrorlake.filter.domain;
    });
    expect(new Set(domains)).toEqual(new Set(["social"]));
  });

  test("prints a table", async () => {
    const { out } = await ask(["slices", "--platform", SAMPLES.platform.slug]);
    expect(out.split("\n")[0]).toMatch(/^root +platform +lang +month +records/);
    expect(out).toMatch(/\d+ of \d+ slices · not charged/);
  });
});

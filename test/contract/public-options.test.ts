import { existsSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { aiTools } from "../../src/adapters/ai.js";
import * as api from "../../src/index.js";
import * as notebook from "../../src/notebook.js";
import { openaiEmbedder } from "../../src/search/embed/openai/openai-embedder.js";
import { transformersEmbedder } from "../../src/search/embed/transformers/transformers-embedder.js";
import * as testing from "../../src/testing.js";
import * as tools from "../../src/tools.js";

type Call = (...args: readonly unknown[]) => unknown;

/** Whatever a function throws, rejects with, or throws when its first item is asked for. */
async function errorOf(call: Call, args: readonly unknown[]): Promise<unknown> {
  try {
    const result = await call(...args);
    const stream = result as { next?: () => Promise<unknown> } | undefined;
    if (typeof stream?.next === "function") await stream.next();
    return undefined;
  } catch (error) {
    return error;
  }
}

const SERVICE = { call: () => undefined };
const ITEMS = (async function* () {})();
const NO = "/nowhere/at/all";
const CHART = { x: "a", y: "b" };

/** A function, its right arguments before the options, its required options, and an option with a misspelling and a wrong value. */
const TAKE_OPTIONS: readonly (readonly [
  string,
  unknown,
  readonly unknown[],
  object,
  string,
  string,
  unknown,
])[] = [
  ["createLake", api.createLake, [NO, []], {}, "licence", "license", 3],
  ["compactLake", api.compactLake, [], { lake: NO }, "threads", "thread", "4"],
  ["describeDataset", api.describeDataset, [[NO]], { out: NO }, "creators", "creator", "me"],
  ["diagnoseLake", api.diagnoseLake, [NO], {}, "clock", "clok", 3],
  ["openApiDocument", api.openApiDocument, [api.CATALOGUE], {}, "serverUrl", "serverURI", 3],
  ["diffSlices", api.diffSlices, [NO, NO], {}, "signal", "signl", 1],
  ["gcLake", api.gcLake, [], { lake: NO }, "dryRun", "dryrun", "yes"],
  ["ingest", api.ingest, [[NO]], { adapter: "beir", out: NO }, "capturedAt", "captured", 3],
  ["installSlices", api.installSlices, [[NO]], { lake: NO }, "rebuild", "rebuld", 1],
  [
    "installClickHouse",
    api.installClickHouse,
    [[NO]],
    { lake: "clickhouse://127.0.0.1/lake" },
    "threads",
    "thread",
    0,
  ],
  ["piiReport", api.piiReport, [[NO]], {}, "onProgress", "onprogres", 1],
  ["planDataset", api.planDataset, [NO], { lake: NO }, "layout", "layuot", "s3"],
  ["pullDataset", api.pullDataset, [NO], { lake: NO }, "layout", "layuot", "s3"],
  ["planPull", api.planPull, [NO], { lake: NO }, "concurrency", "concurency", 0],
  ["publishSlices", api.publishSlices, [[NO]], { out: NO }, "signal", "sgnal", {}],
  ["pullSlices", api.pullSlices, [NO], { lake: NO }, "offline", "ofline", 1],
  ["removeRecords", api.removeRecords, [[]], { lake: NO, reason: "a" }, "reason", "raeson", 1],
  ["retainLake", api.retainLake, [], { lake: NO, olderThan: "1d" }, "asOf", "asof", "now"],
  ["startServer", api.startServer, [SERVICE], {}, "port", "prot", 70_000],
  ["syncLake", api.syncLake, [], { lake: NO, lockFile: NO }, "lockFile", "lockfile", 3],
  ["checkLock", api.checkLock, [], { lake: NO, lockFile: NO }, "lake", "lak", 3],
  ["verifyLake", api.verifyLake, [NO], {}, "recall", "recal", "no"],
  ["withBudget", api.withBudget, [[]], { usd: "1" }, "calls", "cals", "ten"],
  [
    "writeSlices",
    api.writeSlices,
    [ITEMS],
    { out: NO, info: { title: "a", licence: "b" } },
    "hashes",
    "hashs",
    "chek",
  ],
  ["Lake.open", api.Lake.open, [NO], {}, "exact", "exakt", 1],
  ["barChart", notebook.barChart, [[]], CHART, "color", "colour", 3],
  ["lineChart", notebook.lineChart, [[]], CHART, "curve", "curv", "stepp"],
  ["scatterChart", notebook.scatterChart, [[]], CHART, "bare", "bar", 1],
  ["plotChart", notebook.plotChart, [() => ({})], {}, "title", "titel", 3],
  ["diverging", notebook.diverging, [[1]], {}, "middle", "midle", "0"],
  ["table", notebook.table, [[]], {}, "limit", "limt", "all"],
  ["tree", notebook.tree, [[]], {}, "openLevels", "openlevel", -1],
  [
    "openaiEmbedder",
    openaiEmbedder,
    [],
    { model: "a", baseUrl: "http://127.0.0.1/v1" },
    "retries",
    "retrys",
    "5",
  ],
  ["transformersEmbedder", transformersEmbedder, [], { modelDir: NO }, "pooling", "poling", "avg"],
];

/** A function, its arguments of which one is wrong, and that one's name. */
const TAKE_ARGUMENTS: readonly (readonly [string, unknown, readonly unknown[], string])[] = [
  ["authorSaltOf", api.authorSaltOf, [undefined], "lake"],
  ["corpusHash", api.corpusHash, [3], "lake"],
  ["displayIn", notebook.displayIn, [{}], "display"],
  ["installSlices", api.installSlices, ["out", { lake: NO }], "dirs"],
  ["loadAdapter", api.loadAdapter, [undefined], "nameOrFile"],
  ["parseTakedownList", api.parseTakedownList, [undefined, "a"], "text"],
  ["projectVectors", notebook.projectVectors, [3], "vectors"],
  ["readLockFile", api.readLockFile, [undefined], "path"],
  ["readTakedownList", api.readTakedownList, [null], "path"],
  ["sliceFiles", api.sliceFiles, [undefined], "lake"],
  ["startServer", api.startServer, [undefined], "service"],
  ["withheldSlices", api.withheldSlices, [new URL("file:///tmp")], "lake"],
  ["writeLockFile", api.writeLockFile, [NO, NO, {}], "sources"],
];

describe("options of public functions", () => {
  it.each(TAKE_OPTIONS)(
    "%s names a misspelt option and a wrong value",
    async (name, call, args, required, option, misspelt, wrong) => {
      const { [option]: _, ...rest } = required as Record<string, unknown>;
      const unknown = await errorOf(call as Call, [...args, { ...required, [misspelt]: 1 }]);
      expect(unknown).toMatchObject({ name: "UsageError", code: "invalid_options" });
      expect((unknown as Error).message).toContain(`${name}: `);
      expect((unknown as Error).message).toContain(`there is no option ${misspelt}, did you mean ${option}?`);
      const value = await errorOf(call as Call, [...args, { ...rest, [option]: wrong }]);
      expect(value).toMatchObject({ name: "UsageError", code: "invalid_options", value: wrong });
      expect((value as Error).message).toContain(`${name}: ${option} is `);
      for (const none of [null, 3, "text"]) {
        expect(await errorOf(call as Call, [...args, none])).toMatchObject({
          code: "invalid_options",
          value: none,
        });
      }
    },
  );
});

describe("arguments of public functions", () => {
  it.each(TAKE_ARGUMENTS)("%s names a wrong argument", async (name, call, args, argument) => {
    const error = await errorOf(call as Call, args);
    expect(error).toMatchObject({ name: "UsageError", code: "invalid_argument" });
    expect((error as Error).message).toContain(`${name}: ${argument}`);
  });
});

/** Functions that check in another way, or take nothing to check: why, for each. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  openLake: "test/client",
  connect: "test/client",
  catalogueFromOpenApi: "UsageError invalid_openapi",
  loadCatalogue: "UsageError of the file at fault",
  defineEndpoint: "typed rows of code",
  sliceManifestSchema: "takes nothing",
  recordHash: "MirrorlakeError not_canonical_json",
};

it("every function of the entry points is in one of the tables", () => {
  const named = new Set<unknown>([...TAKE_OPTIONS, ...TAKE_ARGUMENTS].map(([name]) => name));
  const functions = Object.entries({ ...api, ...notebook })
    .filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name))
    .map(([name]) => name);
  expect(functions.filter((name) => !named.has(name) && !(name in ELSEWHERE))).toEqual([]);
});

const REMOTE = api.connect({ baseUrl: "http://127.0.0.1:1", apiKey: "a-key" });
/** Calls with something else than they take, and a part of what each says. */
const WRONG_ARGUMENTS: readonly (readonly [string, Call, readonly unknown[], RegExp])[] = [
  ["undiciInterceptor", testing.undiciInterceptor as Call, [], /lake is missing, it must be a lake/],
  [
    "undiciInterceptor of a misspelt option",
    testing.undiciInterceptor as Call,
    [{ fetch }, { origin: "http://a" }],
    /there is no option origin, did you mean origins/,
  ],
  ["mswHandlers", testing.mswHandlers as Call, [], /lake is missing, it must be a lake/],
  [
    "mswHandlers of no http",
    testing.mswHandlers as Call,
    [{ fetch }, {}],
    /http is an object, it must be the http of msw/,
  ],
  [
    "forecastRun",
    testing.forecastRun as Call,
    [{ fetch }],
    /entries is an object, it must be the entries of an account/,
  ],
  [
    "forecastRun of a misspelt option",
    testing.forecastRun as Call,
    [ITEMS, { freecals: 3 }],
    /there is no option freecals, did you mean freeCalls/,
  ],
  ["parseCitation", tools.parseCitation as Call, [3], /text is 3, it must be a string/],
  ["readQuoted", tools.readQuoted as Call, [], /text is missing, it must be a string/],
  ["formatCitation", tools.formatCitation as Call, [], /citation is missing, it must be an object/],
  ["formatCitation of a part", tools.formatCitation as Call, [{ platform: "a" }], /citation.id is missing/],
  ["countTokens", tools.countTokens as Call, [12], /text is 12, it must be a string/],
  ["toolJsonSchema", tools.toolJsonSchema as Call, [], /schema is missing, it must be a schema of a tool/],
  [
    "toolJsonSchema of neither",
    tools.toolJsonSchema as Call,
    [tools.tools(REMOTE)[0]!.inputSchema, "inptu"],
    /io is "inptu"/,
  ],
  [
    "execute of a misspelt option",
    ((...options) => tools.tools(REMOTE)[0]!.execute({ query: "a" }, ...(options as [object]))) as Call,
    [{ sgnal: 1 }],
    /execute: there is no option sgnal, did you mean signal/,
  ],
  [
    "execute of tokens of none",
    ((...options) => tools.tools(REMOTE)[0]!.execute({ query: "a" }, ...(options as [object]))) as Call,
    [{ tokens: -1 }],
    /tokens is -1/,
  ],
  [
    "aiTools of tools and options",
    aiTools as Call,
    [tools.tools(REMOTE), { only: ["search"] }],
    /take no options, such as only/,
  ],
  ["withTestLake", testing.withTestLake as Call, [{}], /test is missing, it must be a function/],
  [
    "advance",
    ((ms) => new api.VirtualClock().advance(ms as number)) as Call,
    ["1m"],
    /Not a number of milli/,
  ],
  [
    "resolveCitation",
    tools.resolveCitation as Call,
    [REMOTE, "a", { sgnal: 1 }],
    /no option sgnal, did you mean signal/,
  ],
  ["defineEndpoint", api.defineEndpoint as Call, [], /row is missing, it must be an object/],
  ["defineEndpoint of no group", api.defineEndpoint as Call, [{ id: "a" }], /row.group is missing/],
  ["openApiDocument", api.openApiDocument as Call, [], /catalogue is missing, it must be an array/],
  ["openApiDocument of a number", api.openApiDocument as Call, [[3]], /catalogue\[0\]/],
  ["loadCatalogue", api.loadCatalogue as Call, [{}], /files is an object, it must be an array/],
  ["recordHash", api.recordHash as Call, [], /record is missing, it must be an object/],
  ["startServer of a client", api.startServer as Call, [REMOTE], /the member service of an open lake/],
  ["sliceFiles of a client", api.sliceFiles as Call, [REMOTE], /an open lake/],
  ["pages", REMOTE.pages as Call, ["account.usage", {}, { signal: "soon" }], /signal is "soon"/],
  ["items", REMOTE.items as Call, ["account.usage", {}, { signal: "soon" }], /signal is "soon"/],
];

describe("arguments of the wrong kind", () => {
  it.each(WRONG_ARGUMENTS)("are named by %s", async (_, call, args, words) => {
    const error = await errorOf(call, args);
    expect(error).toBeInstanceOf(api.UsageError);
    expect((error as Error).message).toMatch(words);
    expect((error as api.UsageError).remedy).toBeTruthy();
  });
});

describe("threads of the engine", () => {
  const lake = NO;
  it.each([
    ["createLake", () => api.createLake(NO, [{ platform: "forum", lang: "en", text: "x" }], { threads: 0 })],
    ["openLake", () => api.openLake(lake, { threads: 0 })],
    ["installSlices", () => api.installSlices([NO], { lake, threads: 0 })],
    ["compactLake", () => api.compactLake({ lake, threads: 0 })],
    ["retainLake", () => api.retainLake({ lake, olderThan: "1d", threads: 0 })],
    ["pullSlices", () => api.pullSlices(NO, { lake, threads: 0 })],
    ["syncLake", () => api.syncLake({ lake, lockFile: NO, threads: 0 })],
  ])("%s refuses none by its name", async (name, call) => {
    await expect(call()).rejects.toMatchObject({
      code: "invalid_options",
      value: 0,
      message: `${name}: threads is 0, it must be at least 1`,
      remedy: "correct threads: it must be at least 1",
    });
  });
});

describe("an address of a lake on ClickHouse where a folder is wanted", () => {
  const address = "clickhouse://me:secret@127.0.0.1:9/lake";
  it.each([
    ["installSlices", () => api.installSlices([NO], { lake: address })],
    ["createLake", () => api.createLake(address, [], { licence: "MIT" })],
    ["ingest", () => api.ingest([NO], { adapter: "beir", out: NO, lake: address })],
    ["compactLake", () => api.compactLake({ lake: address })],
    ["retainLake", () => api.retainLake({ lake: address, olderThan: "30d" } as never)],
    ["gcLake", () => api.gcLake({ lake: address })],
    ["verifyLake", () => api.verifyLake(address)],
    ["corpusHash", () => api.corpusHash(address)],
  ])("is refused by %s, and makes no folder", async (_name, call) => {
    const error = await errorOf(call, []);
    expect(error).toMatchObject({ message: expect.stringContaining("must be a folder") });
    expect(inspect(error)).not.toContain("secret");
    expect(existsSync("clickhouse:")).toBe(false);
  });
});

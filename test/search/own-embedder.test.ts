import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { EMBEDDER, QUICK, videos, write } from "../evolution/support.js";

let dir: string;
let path: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-own-embedder-"));
  path = join(dir, "lake");
  await installSlices(await write(join(dir, "slices"), videos(0, 8)), { lake: path, ...QUICK });
}, 120_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

const SEARCH = { query: "giraffe3", freshness: "90d" } as const;

/** A lake in the test's folder whose embedder embeds queries in this way. */
const openWith = (embedQuery: Embedder["embedQuery"]) =>
  openLake(path, { account: "memory", embedder: { ...EMBEDDER, embedQuery } });

describe("an embedder of one's own", () => {
  it.each<[string, unknown]>([
    ["is not a number", new Float32Array(16).fill(Number.NaN)],
    ["is infinite", new Float32Array(16).fill(Number.POSITIVE_INFINITY)],
    ["is too long", new Float32Array(17)],
    ["is too short", new Float32Array(15)],
    ["is of texts", Array.from({ length: 16 }, () => "1")],
    ["is null", null],
  ])("whose vector of a query %s answers nothing", async (_, vector) => {
    const lake = await openWith(async () => vector as Float32Array);
    await expect(lake.search(SEARCH)).rejects.toMatchObject({
      code: "service_unavailable",
      cause: { code: "embedder_invalid", value: EMBEDDER.id, message: /not 16 finite numbers/ },
    });
    await lake.close();
  });

  it("may make lists of numbers, or nothing of a query", async () => {
    const expected = await openWith(EMBEDDER.embedQuery);
    const listed = await openWith(async (text) => [...(await EMBEDDER.embedQuery(text))!] as never);
    const nothing = await openWith(async () => undefined);
    const ids = async (lake: typeof listed) => (await lake.search(SEARCH)).data.map(({ id }) => id);
    expect(await ids(listed)).toEqual(await ids(expected));
    expect((await ids(nothing))[0]).toBe((await ids(expected))[0]);
    for (const lake of [expected, listed, nothing]) await lake.close();
  });

  it("that ignores the signal is not waited for when a call is aborted", async () => {
    const controller = new AbortController();
    const lake = await openWith(() => {
      controller.abort(new Error("enough"));
      return new Promise(() => {});
    });
    await expect(lake.search(SEARCH, { signal: controller.signal })).rejects.toThrow("enough");
    await lake.close();
  });
});

describe("an install of slices that the lake has", () => {
  const short = (text: string) => text.toLowerCase().slice(0, 200);
  const shorter: Embedder = {
    id: EMBEDDER.id,
    dims: 8,
    embedDocuments: async (texts) =>
      (await EMBEDDER.embedDocuments(texts.map(short))).map((vector) => vector.slice(0, 8)),
    embedQuery: async (text) => (await EMBEDDER.embedQuery(short(text)))!.slice(0, 8),
  };
  const slices = () => join(dir, "slices");
  const embedderOf = async (lake: string, embedder: Embedder) => {
    const open = await openLake(lake, { account: "memory", embedder });
    const { headers } = await open.search(SEARCH);
    await open.close();
    return headers["x-mirrorlake-embedder"];
  };

  it("gets the vectors of an embedder that the lake has none of, once", { tags: "slow" }, async () => {
    const lake = join(dir, "later");
    await installSlices([slices()], { lake, threads: 1 });
    expect(await embedderOf(lake, EMBEDDER)).toMatch(/^reflective-/);
    const options = { lake, embedder: EMBEDDER, threads: 1 };
    expect(await installSlices([slices()], options)).toMatchObject({ change: "built", generation: 2 });
    expect(await embedderOf(lake, EMBEDDER)).toBe(EMBEDDER.id);
    expect((await installSlices([slices()], options)).change).toBe("none");
    expect((await installSlices([slices()], { lake, threads: 1 })).change).toBe("none");
    expect((await installSlices([slices()], { ...options, embedder: shorter })).change).toBe("built");
    expect(await embedderOf(lake, EMBEDDER)).toMatch(/^reflective-/);
    expect(await embedderOf(lake, shorter)).toBe(EMBEDDER.id);
  });

  it("builds the index that is asked for, once", async () => {
    const lake = join(dir, "graphs");
    const install = (options: object) => installSlices([slices()], { lake, ...QUICK, ...options });
    await install({});
    expect((await install({ index: "auto" })).change).toBe("none");
    expect((await install({ index: "hnsw", graphFrom: 2 })).change).toBe("built");
    const { graphs } = await readIndexManifest(join(lake, "generations", "2", "search"));
    expect(graphs).toEqual({ index: "hnsw", graphFrom: 2 });
    expect((await install({ index: "hnsw", graphFrom: 2 })).change).toBe("none");
    expect((await install({})).change).toBe("none");
    expect((await install({ index: "scan" })).change).toBe("built");
    expect((await install({ graphFrom: Number.POSITIVE_INFINITY })).change).toBe("none");
  });

  it("refuses an embedder of too many dimensions, and makes no lake of it", async () => {
    const embedder = { ...EMBEDDER, dims: 2_000 };
    for (const lake of [path, join(dir, "none")])
      await expect(installSlices([slices()], { lake, embedder })).rejects.toMatchObject({
        code: "embedder_invalid",
      });
    await expect(readdir(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

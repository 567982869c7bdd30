import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
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

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLake, type LakeClient, openLake, removeRecords } from "../../src/index.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

const CLOCK = new VirtualClock("2026-06-01T00:00:00Z");

const creator = (id: string, score: number, captured_at: string) => ({
  ...{ platform: "creator-exchange", resource: "creator", id, lang: "en", score, captured_at },
  data: { creator_id: id, uid_hash: `h${id}`, followers: score },
});
const CREATORS = [
  creator("newest", 10, "2026-05-29T12:00:00Z"),
  creator("middle", 20, "2026-05-20T12:00:00Z"),
  creator("oldest", 30, "2026-05-01T00:00:00Z"),
];
const STRAY = creator("stray", 40, "2999-01-01T00:00:00Z");
const RECORD = {
  ...{ id: "soc_frm_1", platform: "forum", lang: "en", text: "bridge" },
  prov: { ts: "2026-05-20T12:00:00Z" },
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-raw-as-of-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function lakeOf(name: string, rows: readonly object[]): Promise<string> {
  const path = join(dir, name);
  await createLake(path, rows as never, { ...QUICK, clock: CLOCK });
  return path;
}

async function opened<T>(
  path: string,
  work: (lake: LakeClient) => Promise<T>,
  asOf: "corpus" | string = "corpus",
) {
  const lake = await openLake(path, { embedder: EMBEDDER, account: "memory", asOf });
  try {
    return await work(lake);
  } finally {
    await lake.close();
  }
}

async function ranked(lake: Pick<LakeClient, "call">, freshness?: string): Promise<unknown[]> {
  const { data } = await lake.call("raw.creator-exchange.ranking", { freshness });
  return (data as { items: { item: unknown }[] }).items.map(
    ({ item }) => (item as { creator_id: string }).creator_id,
  );
}

describe("a ranking of raw items that are newer than every record", () => {
  it("has all of them, and measures freshness from the newest of them", async () => {
    const path = await lakeOf("newer", [RECORD, ...CREATORS]);
    await opened(path, async (lake) => {
      expect(await ranked(lake, "90d")).toEqual(["oldest", "middle", "newest"]);
      expect(await ranked(lake, "10d")).toEqual(["middle", "newest"]);
      expect(await ranked(lake)).toEqual(["newest"]);
    });
  });

  it("does the same in memory", async () => {
    const lake = await createTestLake({ records: [RECORD], raw: CREATORS });
    expect(await ranked(lake, "90d")).toEqual(["oldest", "middle", "newest"]);
    expect(await ranked(lake, "10d")).toEqual(["middle", "newest"]);
    await lake.close();
  });

  it("leaves the windows of searches where they were: they are measured from the newest record", async () => {
    await opened(join(dir, "newer"), async (lake) => {
      expect((await lake.search({ query: "bridge", freshness: "1h" })).data).toHaveLength(1);
      expect(new Date(lake.lake.corpus.asOfMs).toISOString()).toBe("2026-05-20T12:00:00.000Z");
    });
  });

  it("heeds a fixed instant", async () => {
    await opened(
      join(dir, "newer"),
      async (lake) => expect(await ranked(lake, "10d")).toEqual(["middle"]),
      "2026-05-25T00:00:00Z",
    );
  });

  it("is of older ones where the newest is removed", async () => {
    const path = await lakeOf("removed", [RECORD, ...CREATORS]);
    const target = { kind: "raw", platform: "creator-exchange", resource: "creator", id: "newest" } as const;
    await removeRecords([target], { lake: path, reason: "asked for" });
    await opened(path, async (lake) => expect(await ranked(lake, "19d")).toEqual(["middle"]));
    await opened(path, async (lake) => expect(await ranked(lake, "20d")).toEqual(["oldest", "middle"]));
  });

  it("is not moved by a capture that cannot be true", async () => {
    const path = await lakeOf("stray", [RECORD, ...CREATORS, STRAY]);
    await opened(path, async (lake) => expect(await ranked(lake, "10d")).toEqual(["middle", "newest"]));
  });

  it("is the same in a lake built before lakes said when their newest raw item was captured", async () => {
    const path = await lakeOf("before", [RECORD, ...CREATORS]);
    const [generation] = await readdir(join(path, "generations"));
    const folder = join(path, "generations", generation!);
    const file = join(folder, "generation.json");
    const { rawAsOfMs, ...manifest } = JSON.parse(await readFile(file, "utf8"));
    expect(new Date(rawAsOfMs).toISOString()).toBe("2026-05-29T12:00:00.000Z");
    await writeFile(file, JSON.stringify(manifest));
    await rm(join(folder, "checksums.txt"));
    await opened(path, async (lake) => expect(await ranked(lake, "10d")).toEqual(["middle", "newest"]));
  });
});

describe("a lake without records", () => {
  it("ranks its raw items, and dates an empty page by the newest of them", async () => {
    const path = await lakeOf("raw-only", CREATORS);
    await opened(path, async (lake) => {
      expect(await ranked(lake, "10d")).toEqual(["middle", "newest"]);
      const { data } = await lake.call("raw.creator-exchange.creators", { cursor: 9 });
      expect(data).toMatchObject({ items: [], prov: { ts: "2026-05-29T12:00:00.000Z" } });
    });
  });
});

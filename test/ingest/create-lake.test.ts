import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLake, type LakeRow, openLake, recordHash, VirtualClock, verifyLake } from "../../src/index.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";
import { makeComment, makeRecord, makeVector } from "../lake/items.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-create-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const { threads: _, ...EMBED } = QUICK;
const OPTIONS = { ...EMBED, threads: 1, clock: new VirtualClock("2026-05-20T10:00:00.000Z") } as const;
const HELLO: LakeRow = { platform: "forum", lang: "en", text: "hello giraffe" };

describe("createLake", () => {
  it("makes a lake of minimal rows in one call, which opens and verifies", { tags: "slow" }, async () => {
    const lake = join(dir, "new", "lake");
    const report = await createLake(
      lake,
      [
        HELLO,
        {
          platform: "global-marketplace",
          lang: "en",
          title: "Tea cup",
          price: { current: 3, currency: "EUR" },
        },
        {
          platform: "short-video",
          resource: "comment",
          id: "c1",
          parent: "7301234567890123456",
          lang: "en",
          data: { cid: "c1", text: "zebra" },
        },
      ],
      OPTIONS,
    );
    expect(report).toMatchObject({ lake, generation: 1, rows: 3, records: 2, raw: 1, duplicates: 0 });
    expect(report.slices).toHaveLength(3);
    expect(await readdir(join(dir, "new"))).toEqual(["lake"]);
    expect(await verifyLake(lake, { recall: false, threads: 0 })).toMatchObject({
      ok: true,
      problems: [],
      provenance: { canonical: 2, otherwise: 0 },
    });
    await using client = await openLake(lake, { embedder: EMBEDDER, account: "memory" });
    const { data } = await client.search({ query: "giraffe", freshness: "90d" });
    const { vec: _vec, prov, ...bare } = data[0]!;
    expect(bare).toEqual({ ...HELLO, id: expect.stringMatching(/^soc_frm_[0-9a-f]{32}$/), src: "social" });
    expect(prov).toEqual({ ts: "2026-05-20T10:00:00.000Z", hash: recordHash(bare) });
  });

  it.each([
    ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0099-12-31T23:59:59.999Z", "0999-06-01T00:00:00Z"],
    ["9999-12-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999Z"],
  ])("takes records that are captured at %s with the others", async (...times) => {
    const lake = join(dir, "lake");
    const captured = times.map((ts): LakeRow => ({ ...HELLO, text: `hello zebra of ${ts}`, prov: { ts } }));
    await createLake(lake, [HELLO, ...captured], OPTIONS);
    expect(await verifyLake(lake, { recall: false, threads: 0 })).toMatchObject({ ok: true, problems: [] });
    await using client = await openLake(lake, { embedder: EMBEDDER, account: "memory" });
    expect((await client.search({ query: "giraffe", freshness: "90d" })).data).toHaveLength(1);
    expect(
      await client.sql("SELECT text, captured_at FROM records WHERE text LIKE 'hello zebra%' ORDER BY text"),
    ).toEqual(times.map((ts) => ({ text: `hello zebra of ${ts}`, captured_at: new Date(ts).toISOString() })));
  });

  it("names the row whose capture is in no year from 0000 to 9999 in UTC", async () => {
    const rows = [HELLO, { ...HELLO, prov: { ts: "9999-12-31T23:59:59-12:00" } }];
    await expect(createLake(join(dir, "lake"), rows, OPTIONS)).rejects.toMatchObject({
      code: "row_invalid",
      message: expect.stringMatching(/^Row 1: prov\.ts .*must be in the years 0000 to 9999 in UTC/),
    });
  });

  it("verifies lakes of scripts whose vowels are marks", { tags: "slow" }, async () => {
    const lake = join(dir, "lake");
    const texts = [
      ["ne", "अथवा आफ्नै सफलता बुझ्दैनन् |"],
      ["bn", "বাংলাদেশে মুক্তিযোদ্ধারা না খেয়ে দিন কাটাচ্ছে আর ভারতে চলছে তেল মালিশ।"],
      ["ta", "தமிழ்நாட்டில் இன்று மழை பெய்யும்"],
      ["my", "မြန်မာနိုင်ငံတွင် မိုးရွာနေသည်"],
      ["km", "ថ្ងៃនេះមានភ្លៀងធ្លាក់នៅភ្នំពេញ"],
      ["th", "วันนี้ฝนตกที่กรุงเทพมหานคร"],
      ["ar", "ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ"],
      ["he", "הַיֶּלֶד הָלַךְ לְבֵית הַסֵּפֶר"],
      ["fr", "le café de l'été".normalize("NFD")],
    ] as const;
    await createLake(
      lake,
      texts.map(([lang, text]) => ({ platform: "forum", lang, text })),
      OPTIONS,
    );
    expect(await verifyLake(lake, { recall: false, threads: 0 })).toMatchObject({ ok: true, problems: [] });
  });

  it("takes records as the service answers them, with vectors, and platforms of their own", async () => {
    const lake = join(dir, "lake");
    const vec = makeVector(1);
    const given = makeRecord(1);
    async function* rows(): AsyncGenerator<LakeRow> {
      yield { ...given, vec };
      yield { ...makeRecord(4), vec: [...makeVector(4)] };
      yield { platform: "wiki", lang: "en", title: "Giraffe", id: "web_wik_1" };
      yield makeComment(3);
    }
    const report = await createLake(lake, rows(), {
      ...OPTIONS,
      title: "Things",
      licence: "CC0-1.0",
      vectorModel: "test-model",
      platforms: [{ slug: "wiki", domain: "web", code: "wik", name: "A wiki" }],
    });
    expect(report).toMatchObject({ rows: 4, records: 3, raw: 1 });
    await using client = await openLake(lake, { embedder: EMBEDDER, account: "memory" });
    const [record] = await client.sql("SELECT id, prov_hash FROM records WHERE id = ?", [given.id]);
    expect(record).toEqual({ id: given.id, prov_hash: given.prov.hash });
    const slices = await client.slices({ platform: "wiki" });
    expect(slices.data.items[0]).toMatchObject({ title: "Things", licenses: [{ name: "CC0-1.0" }] });
    expect(await client.sql("SELECT count(*) AS n FROM vectors WHERE model = 'test-model'")).toEqual([
      { n: 2 },
    ]);
  });

  it("gives the same slices for the same rows in any order", { tags: "slow" }, async () => {
    const rows = Array.from({ length: 30 }, (_, n) => makeRecord(n));
    const a = await createLake(join(dir, "a"), rows, { ...OPTIONS, title: "same" });
    const b = await createLake(join(dir, "b"), rows.toReversed(), { ...OPTIONS, title: "same" });
    expect(b.slices).toEqual(a.slices);
  });

  it("keeps one row of each key and tells of the others", async () => {
    const told: unknown[] = [];
    const report = await createLake(join(dir, "lake"), [HELLO, HELLO, { ...HELLO, text: "other" }], {
      ...OPTIONS,
      onDuplicate: (duplicate) => told.push(duplicate),
    });
    expect(report).toMatchObject({ rows: 3, records: 2, duplicates: 1 });
    expect(told).toEqual([expect.objectContaining({ kind: "record", identical: true })]);
  });

  it("takes each row as it is when it comes, from a source that uses one object for all", async () => {
    const row = {
      platform: "forum",
      lang: "en",
      text: "",
      extra: { topic: "" },
      vec: new Float32Array(1536),
    };
    const raw = {
      platform: "forum",
      lang: "en",
      resource: "comment",
      id: "",
      parent: "p",
      data: { text: "" },
    };
    async function* rows(): AsyncGenerator<LakeRow> {
      for (let i = 1; i <= 3; i++) {
        row.text = row.extra.topic = `giraffe ${i}`;
        row.vec.fill(i);
        yield row;
        raw.id = raw.data.text = `c${i}`;
        yield raw;
      }
    }
    const lake = join(dir, "lake");
    const report = await createLake(lake, rows(), { ...OPTIONS, vectorModel: "test-model" });
    expect(report).toMatchObject({ rows: 6, records: 3, raw: 3, duplicates: 0 });
    await using client = await openLake(lake, { embedder: EMBEDDER, account: "memory" });
    const { data } = await client.search({ query: "giraffe", freshness: "90d", format: "records" });
    expect(data.map(({ text, extra }) => [text, extra?.topic]).sort()).toEqual(
      [1, 2, 3].map((i) => [`giraffe ${i}`, `giraffe ${i}`]),
    );
    const vectors =
      "SELECT text, vec[1] AS x FROM vectors JOIN records USING (id) WHERE model = 'test-model' ORDER BY x";
    expect(await client.sql(vectors)).toEqual([1, 2, 3].map((x) => ({ text: `giraffe ${x}`, x })));
    expect(await client.sql("SELECT cid, text FROM comments ORDER BY cid")).toEqual(
      [1, 2, 3].map((i) => ({ cid: `c${i}`, text: `c${i}` })),
    );
  });

  it("tells how far it has come", async () => {
    const told: { phase: string; done: number }[] = [];
    await createLake(
      join(dir, "lake"),
      Array.from({ length: 600 }, (_, n) => ({ ...HELLO, text: `text ${n}` })),
      { ...OPTIONS, onProgress: ({ phase, done }) => told.push({ phase, done }) },
    );
    expect(told.filter(({ phase }) => phase === "rows").map(({ done }) => done)).toEqual([256, 512, 600]);
    expect(told.at(-1)).toEqual({ phase: "publish", done: 1 });
  });

  const WRONG = `0x${"ab".repeat(32)}`;
  it.each<[unknown, string, string]>([
    [
      { platform: "forum", text: 3, metrics: { like: 1 } },
      "Row 1: lang is missing, it must be a string; text is 3, it must be a string; " +
        "there is no field metrics.like, did you mean likes?",
      "correct lang",
    ],
    [
      { ...HELLO, captured_at: "2026-01-01T00:00:00Z" },
      "Row 1: there is no field captured_at, did you mean prov.ts?",
      "give the capture time of a record as prov: { ts }",
    ],
    [
      { platform: "formu", lang: "en", text: "a" },
      'Row 1: platform is "formu", which is not known, did you mean "forum"?',
      "declare it: platforms: [{ slug, domain, code, name }]",
    ],
    [
      { platform: "forum", lang: "en", src: "web", id: "web_gnw_1" },
      'Row 1: src is "web", platform forum is of the domain "social"; id is "web_gnw_1", ids of platform forum begin with soc_frm_',
      "leave src out; give soc_frm_<the platform's own id>, or leave id out",
    ],
    [
      { platform: "global-news", lang: "en", text: "t", id: "web_news_1" },
      'Row 1: id is "web_news_1", ids of platform global-news begin with web_gnw_',
      "give web_gnw_<the platform's own id>, or leave id out",
    ],
    [
      { platform: "global-news", lang: "en", text: "t", id: "web_gnw_a b" },
      'Row 1: id is "web_gnw_a b", it must be <soc|eco|web>_<the platform\'s code, three letters or digits>_<suffix>, such as web_gnw_1',
      "give web_gnw_<the platform's own id>, or leave id out",
    ],
    [
      { platform: "my-news", lang: "en", text: "t", id: "web_news_1" },
      'three letters or digits>_<suffix>, such as web_gnw_1; platform is "my-news", which is not known',
      "or declare it: platforms: [{ slug, domain, code, name }]",
    ],
    [{ ...HELLO, vec: [1, 2] }, "Row 1: vec is an array, it must have exactly 1,536 items", "correct vec"],
    [{ ...HELLO, vec: makeVector(1) }, "Row 1: vec is given, but its model is not named", "vectorModel"],
    [{ ...HELLO, vec: new Float32Array(1536) }, "vec is all zero", "correct vec, or leave it out"],
    [{ ...HELLO, prov: { hash: WRONG } }, "Row 1: prov.hash is", 'hashes: "keep"'],
    [{ ...HELLO, text: "\ud800" }, "Row 1: a lone surrogate at text", "well-formed"],
    [
      { ...HELLO, extra: JSON.parse('{"__proto__":"a","topic":"t"}') },
      "Row 1: extra.__proto__ must have another name",
      "correct extra.__proto__",
    ],
    [
      {
        platform: "forum",
        resource: "post",
        id: "1",
        lang: "en",
        data: JSON.parse('{"a":[{"__proto__":1}]}'),
      },
      "Row 1: data.a.0.__proto__ must have another name",
      "leave it out",
    ],
    [null, "Row 1: null is not an object", "give one object per row"],
    ["text", 'Row 1: "text" is not an object', "give one object per row"],
    [
      { platform: "forum", resource: "post", id: "1", lang: "en", captured_at: "yesterday", data: {} },
      'Row 1: captured_at is "yesterday", it must be a valid datetime',
      "correct captured_at",
    ],
  ])("refuses the row %j by all that is wrong with it, and leaves nothing", async (row, message, remedy) => {
    const lake = join(dir, "deep", "lake");
    const error = await createLake(lake, [HELLO, row as LakeRow], OPTIONS).catch((e) => e);
    expect(error).toMatchObject({ name: "IngestError", code: "row_invalid", value: 1 });
    expect(error.message).toContain(message);
    expect(error.remedy).toContain(remedy);
    expect(await readdir(dir)).toEqual([]);
  });

  it("says once what is wrong with an id", async () => {
    const row = { platform: "global-news", lang: "en", text: "t", id: "web_news_1" };
    await expect(createLake(join(dir, "lake"), [row], OPTIONS)).rejects.toMatchObject({
      message: 'Row 0: id is "web_news_1", ids of platform global-news begin with web_gnw_',
      remedy: "give web_gnw_<the platform's own id>, or leave id out",
    });
  });

  it("keeps the hashes of a source that computes its own", async () => {
    const lake = join(dir, "lake");
    await createLake(lake, [{ ...HELLO, prov: { hash: WRONG } }], { ...OPTIONS, hashes: "keep" });
    expect(await verifyLake(lake, { recall: false, threads: 0 })).toMatchObject({
      ok: true,
      provenance: { canonical: 0, otherwise: 1 },
    });
  });

  it("refuses a lake that is there, a folder with something in it, and no rows", async () => {
    const lake = join(dir, "lake");
    await createLake(lake, [HELLO], OPTIONS);
    await expect(createLake(lake, [HELLO], OPTIONS)).rejects.toMatchObject({
      code: "lake_exists",
      value: lake,
    });
    await mkdir(join(dir, "full"));
    await writeFile(join(dir, "full", "a.txt"), "");
    await expect(createLake(join(dir, "full"), [HELLO], OPTIONS)).rejects.toMatchObject({
      code: "lake_foreign",
    });
    await expect(createLake(join(dir, "none"), [], OPTIONS)).rejects.toMatchObject({ code: "rows_empty" });
    expect((await readdir(dir)).sort()).toEqual(["full", "lake"]);
  });

  it.each([
    ["rows", [join("a"), "text"], "createLake: rows is"],
    ["rows", ["a"], "createLake: rows is missing"],
    ["dir", [undefined, []], "createLake: dir is missing"],
    ["options", ["a", [], { licence: 3 }], "createLake: licence is 3, it must be a string"],
    ["options", ["a", [], { license: "MIT" }], "there is no option license, did you mean licence?"],
  ])("checks its %s", async (_name, args, message) => {
    const call = createLake as unknown as (...given: readonly unknown[]) => Promise<unknown>;
    const error = (await call(...args).catch((e) => e)) as Error;
    expect(error.name).toBe("UsageError");
    expect(error.message).toContain(message);
  });

  it("stops at once on abort while the source waits, ends the source, and leaves nothing", async () => {
    const controller = new AbortController();
    let ended = false;
    let taken = 0;
    const rows: AsyncIterable<LakeRow> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          taken++;
          if (taken <= 3) return Promise.resolve({ done: false, value: { ...HELLO, text: `n ${taken}` } });
          setTimeout(() => controller.abort(new Error("enough")), 1);
          return new Promise(() => {});
        },
        return: () => {
          ended = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    await expect(
      createLake(join(dir, "lake"), rows, { ...OPTIONS, signal: controller.signal }),
    ).rejects.toThrow("enough");
    expect(ended).toBe(true);
    expect(await readdir(dir)).toEqual([]);
  });

  it("leaves nothing when the source fails", async () => {
    async function* rows(): AsyncGenerator<LakeRow> {
      yield HELLO;
      throw new Error("source broke");
    }
    await expect(createLake(join(dir, "lake"), rows(), OPTIONS)).rejects.toThrow("source broke");
    expect(await readdir(dir)).toEqual([]);
  });
});

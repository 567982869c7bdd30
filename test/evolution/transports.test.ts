import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sliceFiles } from "../../src/client/files/slice-files.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { readSliceManifest } from "../../src/slice/verify-slice.js";
import { capture } from "../cli/capture.js";
import { commentId, commentText, recordId, VIDEO, videoId, videos, write } from "./support.js";

/** Videos 7 (by record), 12 (by raw item), every one of author 3 (3, 8, 13, …), and comment 1 of video 5, are taken down. */
const GONE = [3, 7, 8, 12, 13, 18, 23, 28];
const STAYS = 6;
const LIST = `# request 4711
${recordId(7)}
raw:${VIDEO}/video/${videoId(12)}
author:${VIDEO}/uid3
raw:${VIDEO}/comment/${commentId(5, 1)}
`;

let dir: string;
let path: string;
let slices: string[];
let client: LakeClient;
let server: RunningServer;
let base: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-transports-"));
  path = join(dir, "lake");
  slices = await write(join(dir, "a"), videos(0, 30));
  await installSlices(slices, { lake: path, threads: 1 });
  client = await openLake(path, { limits: "off" });
  server = await startServer(client.service, { port: 0, files: sliceFiles(client) });
  base = server.url;
}, 120_000);
afterAll(async () => {
  await server?.close();
  await client?.close();
  await rm(dir, { recursive: true, force: true });
});

/** What must not be in any text that a transport gives: ids and words of what is gone. */
function traces(): string[] {
  const ofVideos = GONE.flatMap((n) => [
    recordId(n),
    videoId(n),
    `giraffe${n} `,
    ...[0, 1, 2].map((k) => commentText(n, k)),
  ]);
  return [...ofVideos, commentId(5, 1), commentText(5, 1), commentText(5, 2), "hash3", "uid3"];
}

function expectClean(text: string, transport: string): void {
  for (const trace of traces()) {
    if (text.includes(trace))
      throw new Error(
        `${transport} shows ${trace}: …${text.slice(Math.max(0, text.indexOf(trace) - 80), text.indexOf(trace) + 80)}…`,
      );
  }
}

const text = (value: unknown) =>
  JSON.stringify(value, (_key, item: unknown) =>
    ArrayBuffer.isView(item) ? undefined : typeof item === "bigint" ? Number(item) : item,
  );

async function cli(...args: string[]): Promise<string> {
  const { out, err, code } = await capture([...args, "--lake", path], { cwd: dir });
  if (code !== 0) throw new Error(`mirrorlake ${args.join(" ")}: ${err}${out}`);
  return out;
}

describe("a takedown", () => {
  it("holds in every transport, index, export and open cursor at once", {
    tags: "slow",
    timeout: 120_000,
  }, async () => {
    const bystander = await Lake.open(path);
    const held = bystander.corpus;
    const everyRow = held.match({});
    const goneRows = await Promise.all(GONE.map((n) => held.recordRow(recordId(n))));
    const pages = client
      .pages("raw.short-video.creator-videos", { creator_id: "uid2", count: 2 })
      [Symbol.asyncIterator]();
    const firstPage = await pages.next();
    const sqlOpen = client.sqlStream("SELECT id, text FROM records, range(2000)");
    await sqlOpen.next();
    const arrowOpen = client.arrow({});
    const file = (await readSliceManifest(slices[0]!)).mirrorlake.root;
    const download = (name: string) =>
      fetch(`${base}/datasets/${file}/${name}`, { headers: { "x-api-key": client.apiKey } });
    expect((await download("records.parquet")).status).toBe(200);

    await writeFile(join(dir, "takedown.txt"), LIST);
    const report = JSON.parse(await cli("remove", "takedown.txt", "--reason", "request 4711", "--json"));
    expect(report.hidden.records).toBe(GONE.length);

    // What was open before.
    await expect(async () => {
      for await (const _ of sqlOpen);
    }).rejects.toMatchObject({ code: "removed_meanwhile" });
    for await (const batch of arrowOpen)
      expectClean(text(batch.toArray()), "an arrow stream that was asked for before");
    expect(firstPage.done).toBe(false);
    for (let page = await pages.next(); !page.done; page = await pages.next())
      expectClean(text(page.value), "a cursor");
    const ranked = await bystander.index.rank("giraffe7 video", everyRow, { limit: 100 });
    for (const row of goneRows) expect(ranked.rows).not.toContain(row);
    for (const row of goneRows) {
      await expect(held.records([row!])).rejects.toMatchObject({ code: "record_removed" });
      await expect(async () => bystander.index.vector(row!)).rejects.toThrow("removed");
    }
    for (const mode of ["hybrid", "keyword", "semantic"] as const) {
      const { rows } = await bystander.index.rank("giraffe7 giraffe3 video", held.match({}), {
        limit: 100,
        mode,
      });
      expectClean(text(await held.records(rows)), `ranking by ${mode}`);
    }
    const neighbours = await bystander.index.nearest(
      (await bystander.index.embedQuery("video giraffe7"))!,
      everyRow,
      { limit: 100, exact: true },
    );
    for (const row of goneRows) expect(neighbours).not.toContain(row);
    await bystander.close();

    // The service, in process and through fetch.
    const ask = async (call: string, init?: RequestInit) => {
      const local = await client.fetch(`http://lake${call}`, {
        ...init,
        headers: { "x-api-key": client.apiKey, "content-type": "application/json" },
      });
      const remote = await fetch(`${base}${call}`, {
        ...init,
        headers: { "x-api-key": client.apiKey, "content-type": "application/json" },
      });
      const [a, b] = [await local.text(), await remote.text()];
      // An answer repeats no parameter, but for the message of an error.
      if (local.status === 200) expectClean(a, `fetch ${call}`);
      if (remote.status === 200) expectClean(b, `HTTP ${call}`);
      return { status: local.status, body: JSON.parse(a) as { data: never; meta: { empty: boolean } } };
    };
    for (const query of ["giraffe7", "giraffe3 video", commentText(5, 1), "video"]) {
      const { status, body } = await ask("/v1/search", {
        method: "POST",
        body: JSON.stringify({ query, freshness: "90d", limit: 100 }),
      });
      expect(status).toBe(200);
      // Words that no record has any more find nothing.
      if (query.includes("video")) expect((body.data as unknown[]).length).toBeGreaterThan(0);
    }
    for (const n of GONE) {
      const { body } = await ask(`/v1/raw/${VIDEO}/video?item_id=${videoId(n)}`);
      expect(body).toMatchObject({ data: null, meta: { empty: true, billed: false } });
      expect((await ask(`/v1/raw/${VIDEO}/comments?item_id=${videoId(n)}`)).body).toMatchObject({
        data: { items: [], total: 0 },
      });
    }
    const kept = await ask(`/v1/raw/${VIDEO}/video?item_id=${videoId(5)}`);
    expect(kept.body.data).toMatchObject({ comment_thread: [commentText(5, 0)] });
    expect((await ask(`/v1/raw/${VIDEO}/comments?item_id=${videoId(5)}`)).body).toMatchObject({
      data: { items: [{ cid: commentId(5, 0) }], total: 1 },
    });
    for (const row of client.service.catalogue.filter(
      ({ platform, group }) => platform === VIDEO || group === "datasets",
    )) {
      for (const query of [
        `item_id=${videoId(7)}`,
        "creator_id=uid3",
        `q=giraffe7`,
        `comment_id=${commentId(5, 1)}`,
        "",
        `cid=${commentId(5, 1)}&item_id=${videoId(5)}`,
      ])
        await ask(`${row.path}?${query}`);
    }

    // SQL, Arrow, exports.
    for (const view of ["records", "comments", "videos", "vectors"])
      expectClean(text(await client.sql(`SELECT * FROM ${view}`)), `the view ${view}`);
    expect(await client.sql("SELECT count(*) AS n FROM records")).toEqual([{ n: 30 - GONE.length }]);
    const [left] = await client.sql("SELECT comment_thread FROM records WHERE id = ?", [recordId(5)]);
    expect(left!.comment_thread).toEqual([commentText(5, 0)]);
    for (const format of ["jsonl", "csv"] as const) {
      await client.export(join(dir, `out.${format}`), { format });
      const written = await readFile(join(dir, `out.${format}`), "utf8");
      expectClean(written, `export as ${format}`);
      expect(written).toContain(recordId(STAYS));
    }
    for (const format of ["parquet", "arrow"] as const) {
      expect((await client.export(join(dir, `out.${format}`), { format, vectors: true })).records).toBe(
        30 - GONE.length,
      );
    }
    const rows = await client.sql("SELECT id FROM records");
    expect(rows).toHaveLength(30 - GONE.length);

    // The command line.
    expectClean(await cli("search", "giraffe7", "--freshness", "90d", "--json"), "mirrorlake search");
    expectClean(await cli("sql", "SELECT * FROM records", "--json"), "mirrorlake sql");
    expectClean(await cli("raw", VIDEO, "comments", "--item-id", videoId(5), "--json"), "mirrorlake raw");

    // Slices are listed, their files withheld.
    const listed = await client.slices({});
    expect(text(listed.data)).toContain(file);
    const { items } = listed.data as unknown as { items: { download_url: string | null }[] };
    expect(items.map(({ download_url }) => download_url)).toEqual([null]);
    for (const name of ["records.parquet", "raw.parquet", "datapackage.json"]) {
      const response = await download(name);
      expect(response.status).not.toBe(200);
    }
  });
});

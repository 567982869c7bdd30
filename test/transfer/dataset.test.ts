import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { MAPPING_FILE } from "../../src/ingest/adapters/mapping-file.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";
import { parseDatasetAddress } from "../../src/transfer/dataset/dataset-address.js";
import { isSafePath } from "../../src/transfer/dataset/remote-file.js";
import { PULL_DEFAULTS } from "../../src/transfer/pull/defaults.js";
import { planDataset, pullDataset } from "../../src/transfer/pull/pull-dataset.js";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { capture } from "../cli/capture.js";
import { gitBlob, Host, sendFile, sendJson, sha256 } from "./hosts.js";

const MAPPING = {
  mapping: 1,
  name: "posts",
  info: { title: "Posts", licence: "CC0-1.0" },
  sources: [{ name: "posts", files: ["data/*.jsonl", "*.csv"] }],
  defaults: { platform: "forum", lang: { value: "en" }, captured_at: { path: "seen", time: "iso" } },
  rules: [
    {
      from: "posts",
      record: { id: "id", fields: { text: "body", "author.uid_hash": { path: "by", author_hash: true } } },
    },
  ],
};
const rows = (from: number, to: number, words = 0) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: String(from + i),
    by: `user-${i % 7}`,
    body: `The bridge number ${from + i} opens${" again".repeat(words)}`,
    seen: "2026-05-28T12:00:00Z",
  }));
const jsonl = (from: number, to: number, words = 0) =>
  Buffer.from(
    rows(from, to, words)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  );
const csv = (from: number, to: number, words = 0) =>
  Buffer.from(
    ["id,by,body,seen", ...rows(from, to, words).map((row) => Object.values(row).join(","))].join("\n"),
  );

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
let files: Record<string, Buffer>;
/** Files of more bytes are kept at the other host, as large files are. */
const LARGE = 20_000;
/** Files that are sent in the place of those that were listed. */
let changed: Record<string, Buffer>;
let cut: number | undefined;
let next: string | undefined;
let hub: Host;
let portal: Host;
let other: Host;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-dataset-"));
  other = await Host.start((path, request, response) => {
    const name = decodeURIComponent(path.split("?")[0]!.slice("/store/".length));
    const bytes = changed[name] ?? files[name];
    if (bytes === undefined) return void response.writeHead(404).end();
    sendFile(request, response, bytes, cut);
    cut = undefined;
  });
  hub = await Host.start((path, request, response) => {
    if (request.headers.authorization !== "Bearer hf_secret")
      return void response.writeHead(401, { "x-error-code": "GatedRepo" }).end();
    const entries = Object.entries(files).map(([path, bytes]) =>
      bytes.length > LARGE
        ? {
            type: "file",
            oid: "f".repeat(40),
            size: bytes.length,
            lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 131 },
            xetHash: "a".repeat(64),
            path,
          }
        : { type: "file", oid: gitBlob(bytes), size: bytes.length, path },
    );
    const tree = `/api/datasets/lab/posts/tree/${COMMIT}?recursive=true&expand=false`;
    if (path === "/api/datasets/lab/posts/revision/main")
      return sendJson(response, { id: "lab/posts", sha: COMMIT, lastModified: "2026-05-28T00:00:00.000Z" });
    if (path === tree) {
      const link = `<${next ?? hub.origin + tree}&cursor=Mg>; rel="next"`;
      return sendJson(
        response,
        [{ type: "directory", oid: "1", size: 0, path: "data" }, ...entries.slice(0, 2)],
        { link },
      );
    }
    if (path === `${tree}&cursor=Mg`) return sendJson(response, entries.slice(2));
    const prefix = `/datasets/lab/posts/resolve/${COMMIT}/`;
    const name = decodeURIComponent(path.slice(prefix.length));
    const bytes = path.startsWith(prefix) ? files[name] : undefined;
    if (bytes === undefined) return void response.writeHead(404, { "x-error-code": "EntryNotFound" }).end();
    if (bytes.length <= LARGE) return sendFile(request, response, changed[name] ?? bytes);
    const location = `${other.origin}/store/${encodeURIComponent(name)}?X-Amz-Signature=abc`;
    response.writeHead(302, { location, "x-linked-size": bytes.length, "x-repo-commit": COMMIT }).end();
  });
  portal = await Host.start((path, request, response) => {
    if (path === "/data/api/3/action/package_show?id=bridges") {
      const at = (name: string) => `${portal.origin}/data/dataset/7d1/resource/r/download/${name}`;
      const resource = (id: string, url: string, format: string, state = "active") => ({
        id,
        url,
        format,
        state,
        name: "Posts",
        hash: "",
        size: null,
        last_modified: "2026-05-28T10:00:00",
        mimetype: null,
        package_id: "7d1",
      });
      return sendJson(response, {
        help: `${portal.origin}/data/api/3/action/help_show?name=package_show`,
        success: true,
        result: {
          id: "7d1",
          name: "bridges",
          title: "Bridges",
          metadata_modified: "2026-05-28T10:00:00.123",
          resources: [
            resource("r1", at("may.csv"), "CSV"),
            resource("r2", `${other.origin}/store/june`, "CSV"),
            resource("r3", at("old.csv"), "CSV", "deleted"),
            resource("r4", `${other.origin}/about`, "HTML"),
            resource("r5", "mailto:office@portal.example", ""),
          ],
        },
      });
    }
    const bytes = path.endsWith("/download/may.csv") ? files["may.csv"] : undefined;
    if (bytes === undefined) return sendJson(response, { success: false, error: { message: "Not found" } });
    sendFile(request, response, bytes);
  });
});
afterAll(async () => {
  for (const host of [hub, portal, other]) await host.stop();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  for (const host of [hub, portal, other]) host.seen.length = 0;
  cut = next = undefined;
  changed = {};
  files = {
    ".gitattributes": Buffer.from("*.parquet filter=lfs\n"),
    "README.md": Buffer.from("# Posts"),
    [MAPPING_FILE]: Buffer.from(JSON.stringify(MAPPING)),
    "data/small.jsonl": jsonl(0, 20),
    "data/large.jsonl": jsonl(20, 420, 300),
  };
});

/** A transfer breaks off here; what was on its way between kernel and file may be lost. */
const CUT = 600_000;
function resumedAt(range: string | undefined): boolean {
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? Number.NaN);
  return from > CUT - PULL_DEFAULTS.resumeBytes && from <= CUT;
}

const SECRETS = { key: "hf_secret", headers: { "x-storage-token": "mine" } };
let made = 0;
const newLake = () => join(dir, `lake-${made++}`);
const address = () => `${hub.origin}/datasets/lab/posts/tree/main`;
async function idsOf(lake: string): Promise<string[]> {
  const client = await openLake(lake, { account: "memory" });
  const found = await client.sql("SELECT id FROM records ORDER BY length(id), id");
  await client.close();
  return found.map(({ id }) => String(id));
}
const ids = (to: number) => Array.from({ length: to }, (_, i) => `soc_frm_${i}`);
const carried = ({ headers }: Host["seen"][number]) => [headers.authorization, headers["x-storage-token"]];

describe("a dataset on a Hugging Face hub", () => {
  it("comes at one commit, with the mapping that lies in it, and nothing that it does not read", {
    tags: "slow",
  }, async () => {
    const lake = newLake();
    const report = await pullDataset(address(), { ...SECRETS, lake });
    expect(report.revision).toBe(COMMIT);
    expect(report.ingest).toMatchObject({ read: 420, records: 420, rejected: 0 });
    expect(report.bytesFetched).toBe(files["data/small.jsonl"]!.length + files["data/large.jsonl"]!.length);
    expect(await idsOf(lake)).toEqual(ids(420));
    expect(hub.seen.some(({ path }) => path.includes("README"))).toBe(false);
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("gives key and headers to the hub, and to no other origin that it leads to", {
    tags: "slow",
  }, async () => {
    await pullDataset(address(), { ...SECRETS, lake: newLake() });
    for (const request of hub.seen) expect(carried(request)).toEqual(["Bearer hf_secret", "mine"]);
    expect(other.seen.length).toBe(1);
    for (const request of other.seen) expect(carried(request)).toEqual([undefined, undefined]);
  });

  it("goes on where a transfer broke, with Range and If-Range", { tags: "slow" }, async () => {
    const lake = newLake();
    cut = CUT;
    const report = await pullDataset(address(), { ...SECRETS, lake });
    const [first, second] = other.seen.map(({ headers }) => headers);
    expect(first!.range).toBeUndefined();
    expect(resumedAt(second!.range)).toBe(true);
    expect(second!["if-range"]).toMatch(/^"/);
    expect(report.bytesFetched).toBe(files["data/small.jsonl"]!.length + files["data/large.jsonl"]!.length);
    expect(await idsOf(lake)).toEqual(ids(420));
  });

  it("keeps what came when it fails, and the next pull uses it", { tags: "slow" }, async () => {
    const lake = newLake();
    const whole = files["data/large.jsonl"]!;
    cut = CUT;
    await expect(pullDataset(address(), { ...SECRETS, lake, retries: 0 })).rejects.toMatchObject({
      code: "transfer_interrupted",
    });
    const report = await pullDataset(address(), { ...SECRETS, lake });
    expect(resumedAt(other.seen[1]!.headers.range)).toBe(true);
    expect(report.bytesFetched).toBeLessThan(whole.length);
    expect(await idsOf(lake)).toEqual(ids(420));
  });

  it("refuses a file that is not the one of the commit, large or small", async () => {
    const environment = {
      ...systemEnvironment,
      sleep: (_ms: number, signal?: AbortSignal) => systemEnvironment.sleep(0, signal),
    };
    for (const name of ["data/large.jsonl", "data/small.jsonl"]) {
      changed = { [name]: Buffer.from(files[name]!.toString().replace("opens", "burns")) };
      const pull = pullDataset(address(), { ...SECRETS, lake: newLake(), environment });
      await expect(pull).rejects.toMatchObject({ code: "file_corrupt" });
    }
  });

  it("says what is missing: a token, a mapping, files that the mapping reads", async () => {
    const lake = newLake();
    await expect(pullDataset(address(), { lake })).rejects.toMatchObject({ code: "pull_unauthorized" });
    delete files[MAPPING_FILE];
    await expect(pullDataset(address(), { ...SECRETS, lake })).rejects.toMatchObject({
      code: "mapping_missing",
    });
    files[MAPPING_FILE] = Buffer.from(
      JSON.stringify({ ...MAPPING, sources: [{ name: "posts", files: ["*.parquet"] }] }),
    );
    await expect(pullDataset(address(), { ...SECRETS, lake })).rejects.toMatchObject({
      code: "nothing_selected",
    });
  });

  it("asks for the room that its files need, not for more", async () => {
    const environment = { ...systemEnvironment, freeBytes: async () => 2_000_000 };
    await expect(pullDataset(address(), { ...SECRETS, lake: newLake(), environment })).rejects.toMatchObject({
      code: "no_space",
    });
    delete files["data/large.jsonl"];
    const lake = newLake();
    await pullDataset(address(), { ...SECRETS, lake, environment });
    expect(await idsOf(lake)).toEqual(ids(20));
  });

  it("asks for the room of its indexes before it installs, and goes on with what was fetched", async () => {
    const free = [1e12, 4_000_000, 1e12, 1e12];
    const environment = { ...systemEnvironment, freeBytes: async () => free.shift()! };
    const lake = newLake();
    await expect(pullDataset(address(), { ...SECRETS, lake, environment })).rejects.toMatchObject({
      code: "no_space",
    });
    expect(await lakeSlices(lake)).toEqual([]);
    const again = await pullDataset(address(), { ...SECRETS, lake, environment });
    expect(again.bytesFetched).toBe(0);
    expect(await idsOf(lake)).toHaveLength(420);
  });

  it("does not trust names, nor a list that goes on elsewhere", async () => {
    const lake = newLake();
    next = `${other.origin}/api/datasets/lab/posts/tree/x?a=b`;
    await expect(pullDataset(address(), { ...SECRETS, lake })).rejects.toMatchObject({
      code: "source_untrusted",
    });
    expect(other.seen).toEqual([]);
    next = undefined;
    files["data/../../../escape.jsonl"] = jsonl(0, 1);
    await expect(pullDataset(address(), { ...SECRETS, lake })).rejects.toMatchObject({
      code: "source_invalid",
    });
    for (const name of ["..", "a/../b", "/etc/x", "a\\b", "a//b", "c:x", "a/.", "x ", "a\u0000"])
      expect(isSafePath(name)).toBe(false);
    for (const name of ["data/train-00000-of-00001.parquet", ".gitattributes", "新闻/一月.csv"])
      expect(isSafePath(name)).toBe(true);
  });

  it("is pulled by the command line, which plans it first", { tags: "slow" }, async () => {
    const lake = newLake();
    const env = { MIRRORLAKE_KEY: "hf_secret", MIRRORLAKE_PULL_HEADERS: "X-Storage-Token: mine" };
    const plan = await capture(["pull", address(), "--lake", lake, "--dry-run"], { env });
    expect(plan.out).toContain("2 files of commit 0123456789ab to fetch");
    const done = await capture(["pull", address(), "--lake", lake, "--no-lock"], { env });
    expect(done.err).not.toContain("rror");
    expect(done.out).toContain("generation 1: 420 records and 0 raw items from 1 slice");
    for (const request of other.seen) expect(carried(request)).toEqual([undefined, undefined]);
  });
});

describe("a dataset on a CKAN portal", () => {
  it("comes from wherever its resources are, the token only to the portal", async () => {
    const lake = newLake();
    files = { "may.csv": csv(0, 30), june: csv(30, 50) };
    const mapping = { ...MAPPING, sources: [{ name: "posts", files: ["*.csv"] }] };
    const adapter = compileMapping(mapping);
    const source = `${portal.origin}/data/dataset/bridges`;
    const plan = await planDataset(source, { lake, adapter });
    expect(plan.files).toMatchObject([
      { path: "may.csv", wanted: true },
      { path: "june.csv", wanted: true },
      { path: "about", wanted: false },
    ]);
    const report = await pullDataset(source, {
      lake,
      adapter,
      key: "ckan-token",
      headers: { "x-storage-token": "mine" },
    });
    expect(report.ingest).toMatchObject({ read: 50, records: 50, rejected: 0 });
    expect(await idsOf(lake)).toEqual(ids(50));
    const asked = portal.seen.slice(1);
    expect(asked.length).toBe(2);
    for (const request of asked) expect(carried(request)).toEqual(["ckan-token", "mine"]);
    expect(other.seen.map(carried)).toEqual([[undefined, undefined]]);
  });

  it("resumes a resource of which nobody said the size", { tags: "slow" }, async () => {
    const lake = newLake();
    files = { "may.csv": csv(0, 3), june: csv(3, 603, 300) };
    cut = CUT;
    const adapter = compileMapping({ ...MAPPING, sources: [{ name: "posts", files: ["*.csv"] }] });
    await pullDataset(`${portal.origin}/data/dataset/bridges`, { lake, adapter });
    expect(resumedAt(other.seen[1]!.headers.range)).toBe(true);
    expect(await idsOf(lake)).toEqual(ids(603));
  });

  it("is told from an answer that is none", async () => {
    await expect(
      pullDataset(`${portal.origin}/data/dataset/unknown`, { lake: newLake() }),
    ).rejects.toMatchObject({ code: "source_invalid" });
  });
});

it("knows datasets by their addresses", () => {
  const hub = { layout: "huggingface", hub: "https://huggingface.co" };
  expect(parseDatasetAddress("https://huggingface.co/datasets/lab/posts")).toEqual({
    ...hub,
    id: "lab/posts",
    revision: "main",
    folder: "",
  });
  expect(
    parseDatasetAddress(
      "https://huggingface.co/datasets/squad/tree/refs%2Fconvert%2Fparquet/plain_text/train",
    ),
  ).toEqual({
    ...hub,
    id: "squad",
    revision: "refs/convert/parquet",
    folder: "plain_text/train",
  });
  expect(parseDatasetAddress("hf://datasets/lab/posts@v1.0/data")).toEqual({
    ...hub,
    id: "lab/posts",
    revision: "v1.0",
    folder: "data",
  });
  expect(parseDatasetAddress("https://hub.example/mirror/datasets/lab/posts", "huggingface")).toMatchObject({
    hub: "https://hub.example/mirror",
  });
  expect(parseDatasetAddress("https://data.example/en/dataset/air-quality")).toEqual({
    layout: "ckan",
    portal: "https://data.example/en",
    id: "air-quality",
    resource: undefined,
  });
  expect(parseDatasetAddress("https://data.example/api/3/action/package_show?id=air")).toMatchObject({
    portal: "https://data.example",
    id: "air",
  });
  expect(parseDatasetAddress("https://data.example/dataset/air/resource/r-1")).toMatchObject({
    id: "air",
    resource: "r-1",
  });
  for (const none of [
    "https://data.example/public",
    "http://127.0.0.1:8080/datasets/",
    "./public",
    "https://data.example/datasets/a/b",
  ])
    expect(parseDatasetAddress(none)).toBeUndefined();
  expect(() => parseDatasetAddress("hf://models/lab/x")).toThrow("Not the address of a dataset");
});

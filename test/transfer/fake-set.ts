import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLATFORMS } from "../../src/contract/service/platforms.js";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { manifestText, SLICE_FILES, sliceManifest } from "../../src/slice/read-slice-manifest.js";
import { indexText } from "../../src/slice/write-slice-index.js";
import { PULL_DEFAULTS } from "../../src/transfer/pull/defaults.js";
import { type FetchedSlices, fetchSlices } from "../../src/transfer/pull/fetch-slices.js";
import type { TransferProgress } from "../../src/transfer/pull/transfer-meter.js";
import { type PullEnvironment, systemEnvironment } from "../../src/transfer/source/environment.js";
import { HttpClient } from "../../src/transfer/source/http-client.js";
import { HttpSource } from "../../src/transfer/source/http-source.js";
import { random } from "../lake/items.js";

/** A published folder whose files hold random bytes: enough for whatever is below the install. */
export interface FakeSet {
  readonly out: string;
  readonly manifests: readonly SliceManifest[];
  readonly roots: readonly string[];
  remove(): Promise<void>;
}

const NAMES = ["records", "raw", "vectors"] as const;

/** One slice for each list of file sizes. */
export async function fakeSet(slices: readonly (readonly number[])[], seed = 1): Promise<FakeSet> {
  const out = await mkdtemp(join(tmpdir(), "mirrorlake-fake-"));
  const next = random(seed);
  const manifests: SliceManifest[] = [];
  for (const [month, sizes] of slices.entries()) {
    const contents = sizes.map((size) => Buffer.from(Uint8Array.from({ length: size }, () => next() * 256)));
    const manifest = sliceManifest({
      info: { title: "Random", licence: "CC0-1.0", platforms: [], vectorModel: "none" },
      platform: PLATFORMS[0]!,
      lang: "en",
      month: 2026 * 12 + month,
      firstMs: Date.UTC(2026, month, 2),
      lastMs: Date.UTC(2026, month, 3),
      files: contents.map((content, i) => ({
        name: NAMES[i]!,
        bytes: content.length,
        sha256: createHash("sha256").update(content).digest("hex"),
        rows: 1,
      })),
      resources: {},
    });
    const dir = join(out, manifest.mirrorlake.root);
    await mkdir(dir);
    await writeFile(join(dir, "datapackage.json"), manifestText(manifest));
    for (const [i, content] of contents.entries())
      await writeFile(join(dir, SLICE_FILES[NAMES[i]!].path), content);
    manifests.push(manifest);
  }
  await writeFile(join(out, "index.json"), indexText(manifests));
  return {
    out,
    manifests,
    roots: manifests.map(({ mirrorlake }) => mirrorlake.root),
    remove: () => rm(out, { recursive: true, force: true }),
  };
}

/** A pull's environment whose time passes only by sleeping; only the stall timer is the machine's. */
export function testEnvironment(seed = 1): PullEnvironment & { readonly slept: readonly number[] } {
  const slept: number[] = [];
  let now = 1_800_000_000_000;
  return {
    ...systemEnvironment,
    slept,
    now: () => now,
    random: random(seed),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

/** Longer than a loaded machine keeps a byte back: only a test of stalls waits less. */
const PATIENT_MS = 60_000;

/** Fetches every slice of a set from a server into a folder, without installing. */
export async function fetchAll(
  url: string,
  incoming: string,
  options: {
    readonly environment?: PullEnvironment;
    readonly signal?: AbortSignal;
    readonly stallMs?: number;
    readonly retries?: number;
    readonly concurrency?: number;
    readonly onProgress?: (progress: TransferProgress) => void;
  } = {},
): Promise<FetchedSlices> {
  const { environment = testEnvironment(), stallMs = PATIENT_MS, retries = PULL_DEFAULTS.retries } = options;
  const stop = new AbortController();
  options.signal?.addEventListener("abort", () => stop.abort(options.signal?.reason));
  const { signal } = stop;
  const client = new HttpClient({ environment, stallMs, signal });
  const source = new HttpSource(url, client, { retries, environment, signal });
  const roots = (await source.list()).map(({ root }) => root);
  await mkdir(incoming, { recursive: true });
  return fetchSlices(source, roots, {
    incoming,
    concurrency: options.concurrency ?? 2,
    now: environment.now,
    abort: (reason) => stop.abort(reason),
    beforeFiles: async () => {},
    onProgress: options.onProgress,
  });
}

/** Whether a folder holds the slices of a set, byte for byte, and nothing else of them. */
export async function isWhole(set: FakeSet, incoming: string): Promise<boolean> {
  for (const { mirrorlake, resources } of set.manifests) {
    for (const { path } of resources) {
      const [own, theirs] = await Promise.all(
        [set.out, incoming].map((dir) => readFile(join(dir, mirrorlake.root, path))),
      );
      if (!own!.equals(theirs!)) return false;
    }
  }
  return true;
}

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rawShape } from "../../src/contract/service/raw-shapes.js";
import { StoredRecord } from "../../src/contract/service/unified-record.js";
import { RawItem, type SliceItem } from "../../src/contract/slice/slice-item.js";
import type { Adapter, AdapterContext, Converted } from "../../src/ingest/adapters/adapter.js";
import { readSource } from "../../src/ingest/readers/read-source.js";
import type { SourceRow } from "../../src/ingest/readers/source-row.js";

/** A folder of the real data, undefined where it is not on this machine. */
export function sharedFolder(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

/** A file or folder of the invented data beside the tests. */
export function golden(path: string): string {
  return fileURLToPath(new URL(`golden/${path}`, import.meta.url));
}

/** Throws unless an item is what slices take: the record and the raw item by schema, the raw data by its resource. */
export function checkItem(item: SliceItem): void {
  if (item.kind === "record") {
    StoredRecord.parse(item.record);
    if (item.vector !== undefined && item.vector.length !== 1536)
      throw new Error("a vector of another length");
    return;
  }
  const { platform, resource, data } = RawItem.parse(item.raw);
  rawShape(platform, resource)?.parse(data);
}

type Options = Partial<Omit<AdapterContext, "tempDirectory">>;

const CAPTURED = "2026-05-30T00:00:00+00:00";

async function collect(
  adapter: Adapter,
  rows: (tempDirectory: string) => AsyncIterable<readonly SourceRow[]>,
  options: Options,
): Promise<Converted[]> {
  const tempDirectory = await mkdtemp(join(tmpdir(), "adapter-"));
  try {
    const context = { authorSalt: "salt", capturedAt: CAPTURED, ...options, tempDirectory };
    const out: Converted[] = [];
    for await (const batch of adapter.convert(rows(tempDirectory), context)) out.push(...batch);
    for (const converted of out) if ("ok" in converted) checkItem(converted.ok);
    return out;
  } finally {
    await rm(tempDirectory, { recursive: true, force: true });
  }
}

/** Converts a folder as ingestion does, every item checked. */
export function convertFolder(adapter: Adapter, folder: string, options: Options = {}): Promise<Converted[]> {
  const { sources, unread = [] } = adapter;
  return collect(
    adapter,
    (tempDirectory) => readSource([folder], { sources, unread, tempDirectory }),
    options,
  );
}

/** Converts rows given as values of one source, lines numbered from 1, every item checked. */
export function convertValues(
  adapter: Adapter,
  values: readonly unknown[] | Readonly<Record<string, readonly unknown[]>>,
  options: Options = {},
): Promise<Converted[]> {
  const sources = Array.isArray(values) ? { [adapter.sources[0]!.name]: values } : values;
  const rows = Object.entries(sources).map(([source, list]) =>
    (list as readonly unknown[]).map((value, i) => ({ source, file: `${source}.jsonl`, line: i + 1, value })),
  );
  async function* batches() {
    yield* rows;
  }
  return collect(adapter, batches, options);
}

/** What came out, sorted out. */
export function sortOut(converted: readonly Converted[]) {
  const items = converted.flatMap((one) => ("ok" in one ? [one.ok] : []));
  return {
    records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
    vectors: items.flatMap((item) => (item.kind === "record" && item.vector ? [item.vector] : [])),
    raw: (resource?: string) =>
      items.flatMap((item) =>
        item.kind === "raw" && (resource === undefined || item.raw.resource === resource) ? [item.raw] : [],
      ),
    rejects: converted.flatMap((one) => ("reject" in one ? [one.reject] : [])),
    unused: converted.flatMap((one) => ("unused" in one ? [one.unused] : [])),
  };
}

/** One line a fate, for golden files. */
export function lines(converted: readonly Converted[]): string {
  const shown = converted.map((one) => {
    if (!("ok" in one)) return one;
    if (one.ok.kind === "raw") return { raw: one.ok.raw };
    const { record, vector } = one.ok;
    return vector === undefined ? { record } : { record, vector: [vector.length, vector[0]] };
  });
  return `${shown.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

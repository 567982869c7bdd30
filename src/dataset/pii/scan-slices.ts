import { join } from "node:path";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { Database } from "../../duckdb/database.js";
import { quoteName } from "../../duckdb/quote-sql.js";
import { RECORD_COLUMNS } from "../../slice/record-columns.js";
import { PiiCounter, type PiiReport } from "./pii-report.js";

/** A slice and its folder. */
export interface SliceFolder {
  readonly dir: string;
  readonly manifest: SliceManifest;
}

/** Progress of {@link scanSlices}, in records and raw items. */
export interface ScanProgress {
  readonly done: number;
  readonly total: number;
}

/** Columns of generated text: ids, names, hashes, times. */
const MADE = /^(id|src|platform|lang|prov_.*|price_currency|sentiment_label|author_uid_hash|empty_objects)$/;

const TEXT_COLUMNS = RECORD_COLUMNS.filter(
  ({ name, type }) => type.startsWith("VARCHAR") && !MADE.test(name),
);

/** Columns of ids, which may be e-mail addresses. */
const RECORD_IDS = ["id"];
const RAW_IDS = ["id", "parent", "reply_to", "author"];

/** Members of raw data with ids and generated text. */
const MADE_MEMBER = /(^|\.)(id|cid|src|platform|lang|uid_hash|created_at|published_at|ts|hash|prov\..*)$/;

/**
 * Scans all text written by people for e-mail addresses, phone numbers and handles: the text columns of records, and the strings in
 * the data of raw items; ids for e-mail addresses. Reads one batch at a time. @throws the signal's reason when aborted
 */
export async function scanSlices(
  slices: readonly SliceFolder[],
  options: { readonly onProgress?: (progress: ScanProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<PiiReport> {
  const { signal, onProgress } = options;
  const counter = new PiiCounter();
  const counts = (name: "records" | "raw") =>
    slices.reduce((sum, { manifest }) => sum + manifest.mirrorlake.counts[name], 0);
  const rows = { slices: slices.length, records: counts("records"), raw: counts("raw") };
  const total = rows.records + rows.raw;
  let done = 0;
  const db = await Database.openKept(":memory:", { threads: 1 });
  try {
    for (const { dir, manifest } of slices) {
      for (const resource of manifest.resources) {
        const scan = resource.name === "records" ? scanRecord : resource.name === "raw" ? scanRaw : undefined;
        if (scan === undefined) continue;
        const columns =
          resource.name === "records"
            ? [...TEXT_COLUMNS.map(({ name }) => name), ...RECORD_IDS]
            : ["resource", "data", ...RAW_IDS];
        const sql = `SELECT ${columns.map(quoteName).join(", ")} FROM read_parquet(?)`;
        for await (const batch of db.stream(sql, [[join(dir, resource.path)]], signal)) {
          for (const row of batch) scan(row, counter);
          done += batch.length;
          onProgress?.({ done, total });
        }
      }
    }
  } finally {
    await db.close();
  }
  return counter.report(rows);
}

function scanRecord(row: Readonly<Record<string, unknown>>, counter: PiiCounter): void {
  for (const name of RECORD_IDS) counter.add("records", name, row[name] as string, true);
  for (const { name } of TEXT_COLUMNS) {
    const value = row[name];
    if (typeof value === "string") counter.add("records", name, value);
    else if (Array.isArray(value)) {
      for (const text of value) if (typeof text === "string") counter.add("records", name, text);
    }
  }
}

function scanRaw({ resource, data, ...ids }: Readonly<Record<string, unknown>>, counter: PiiCounter): void {
  for (const name of RAW_IDS) {
    const id = ids[name];
    if (typeof id === "string") counter.add("raw", `${resource as string}.${name}`, id, true);
  }
  eachString(JSON.parse(data as string), "", (path, text) => {
    counter.add("raw", `${resource as string}.${path}`, text, MADE_MEMBER.test(path));
  });
}

/** Calls `found` with every string in a JSON value and its path: names joined by dots, `[]` for elements. */
function eachString(value: unknown, path: string, found: (path: string, text: string) => void): void {
  if (typeof value === "string") found(path, value);
  else if (Array.isArray(value)) for (const item of value) eachString(item, `${path}[]`, found);
  else if (value !== null && typeof value === "object") {
    for (const [key, member] of Object.entries(value))
      eachString(member, path === "" ? key : `${path}.${key}`, found);
  }
}

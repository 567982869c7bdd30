import type { Platform } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import type { RawItem, SliceItem } from "../contract/slice/slice-item.js";
import { itemOfRow, type LakeRow } from "../ingest/lake-row.js";
import { platformsBySlug } from "../ingest/mapping/build-record.js";
import type { IndexDocument } from "../search/document.js";
import { buildMemoryIndex } from "../search/memory/memory-index.js";
import type { SearchIndex } from "../search/search-index.js";
import { asRestored } from "../slice/record-columns.js";
import { withHash } from "../staging/with-hash.js";
import { MemoryCorpus } from "../store/memory/memory-corpus.js";

/** What a lake in memory is made of. */
export interface ContentOptions {
  readonly platforms: readonly Platform[];
  readonly vectorModel: string | undefined;
  /** Capture time of rows without one, and the clock's time, ISO 8601. */
  readonly capturedAt: string;
}

/** Records and index of a lake in memory; immutable, so that any number of lakes share them. */
export interface LakeContent {
  readonly corpus: MemoryCorpus;
  readonly index: SearchIndex;
  /** The rows as they were given, to make a lake on disk of. */
  readonly rows: readonly LakeRow[];
  readonly options: ContentOptions;
}

/**
 * Makes the content of a lake of rows, as `createLake` does on disk: checked, completed, the latest capture of equal keys.
 * @throws IngestError `row_invalid`
 */
export async function contentOf(rows: readonly LakeRow[], options: ContentOptions): Promise<LakeContent> {
  const context = { ...options, platforms: platformsBySlug(options.platforms), hashes: "check" as const };
  const records = new Map<string, Kept<{ record: StoredRecord; vector: Float32Array | undefined }>>();
  const raw = new Map<string, Kept<RawItem>>();
  for (const [i, row] of rows.entries()) take(itemOfRow(row, i, context), records, raw);
  const kept = [...records.values()]
    .map(({ item }) => item)
    .sort((a, b) => Buffer.compare(Buffer.from(a.record.id), Buffer.from(b.record.id)));
  const corpus = new MemoryCorpus({
    records: kept.map(({ record }) => record),
    raw: [...raw.values()].map(({ item }) => item),
    platforms: options.platforms,
    nowMs: Date.parse(options.capturedAt),
  });
  const model = options.vectorModel ?? "";
  const documents = kept.map(({ record, vector }) => documentOf(record, vector, model));
  return { corpus, index: await buildMemoryIndex(documents), rows, options };
}

interface Kept<T> {
  readonly item: T;
  readonly capturedMs: number;
  readonly text: () => string;
}

function take(
  item: SliceItem,
  records: Map<string, Kept<{ record: StoredRecord; vector: Float32Array | undefined }>>,
  raw: Map<string, Kept<RawItem>>,
): void {
  if (item.kind === "record") {
    const record = asRestored(withHash(item.record, "computed"));
    const text = () => canonicalJson(record);
    const capturedMs = Date.parse(record.prov.ts);
    keep(records, record.id, { item: { record, vector: item.vector }, capturedMs, text });
    return;
  }
  const { platform, resource, id, captured_at } = item.raw;
  const text = () => canonicalJson(item.raw);
  keep(raw, `${platform}/${resource}/${id}`, { item: item.raw, capturedMs: Date.parse(captured_at), text });
}

/** Keeps the latest capture of a key, and among equal captures the one whose content is greatest as text. */
function keep<T>(among: Map<string, Kept<T>>, key: string, next: Kept<T>): void {
  const known = among.get(key);
  const later =
    known === undefined ||
    next.capturedMs > known.capturedMs ||
    (next.capturedMs === known.capturedMs && next.text() > known.text());
  if (later) among.set(key, next);
}

function documentOf(record: StoredRecord, values: Float32Array | undefined, model: string): IndexDocument {
  const { id, lang, title, text, entities, comment_thread, review_sample } = record;
  const vector = values === undefined ? undefined : { model, values };
  return { id, lang, title, text, entities, comment_thread, review_sample, vector };
}

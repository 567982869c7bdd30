import { join } from "node:path";
import { Database } from "../../duckdb/database.js";
import { type IndexManifest, LOCAL_VECTORS } from "../../search/index-manifest.js";
import { DownloadedVectors } from "../../search/segment/downloaded-vectors.js";
import { ByteVectorFile } from "../../search/vector/byte-vector-file.js";
import { BYTE_VECTOR } from "../../search/vector/byte-vectors.js";
import { VECTOR_FILES } from "../../search/vector/vector-files.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { RowBinaryWriter } from "../row-binary.js";
import type { LiveRows } from "./live-documents.js";
import { FACT_COLUMNS, type RecordFacts } from "./record-rows.js";
import type { Staged } from "./staged.js";

/** Columns of the table `vectors` in the order of {@link vectorRows}. */
export const VECTOR_COLUMNS: readonly string[] = [...FACT_COLUMNS, "scale", "bytes"];

/** Columns of the table `refitted` in the order of {@link refittedRows}. */
export const REFITTED_COLUMNS: readonly string[] = ["fit", "by", ...VECTOR_COLUMNS];

/** Columns of the table `given_vectors` in the order of {@link givenVectorRows}. */
export const GIVEN_VECTOR_COLUMNS: readonly string[] = ["load", "ordinal", "model", "numbers"];

/** Bytes of the numbers of a stored vector, which its scale follows. */
const DIMENSIONS = BYTE_VECTOR - 4;

/** Which vectors of the table `refitted` rows are: of the fit of a load, brought by a load. */
export interface RefittedKey {
  readonly fit: number;
  readonly by: number;
}

/**
 * The vectors of the default embedder, as they are stored: 1536 signed bytes and a scale.
 * @param fit the load that refitted it: then rows of `refitted`
 */
export async function* vectorRows(
  staged: Staged,
  load: number,
  facts: RecordFacts,
  fit: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = new RowBinaryWriter();
  for (const { row, stored } of storedVectors(staged.search, staged.index, signal)) {
    const ordinal = staged.first.records + row;
    if (fit !== 0) writer.uint64(fit).uint64(load);
    writeVector(writer.uint64(load).uint32(ordinal), facts, ordinal, stored);
    if (writer.full) yield writer.take();
  }
  yield writer.take();
}

/** The vectors of a search index as rows of `refitted`. @param rows of its documents, in their order */
export async function* refittedRows(
  search: string,
  index: IndexManifest,
  rows: LiveRows,
  { fit, by }: RefittedKey,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = new RowBinaryWriter();
  for (const { row, stored } of storedVectors(search, index, signal)) {
    writer.uint64(fit).uint64(by).uint64(rows.loads[row]!).uint32(rows.ordinals[row]!);
    writeVector(writer, rows, row, stored);
    if (writer.full) yield writer.take();
  }
  yield writer.take();
}

/** The stored vectors of an index, by row. The bytes are good until the next one. */
function* storedVectors(
  search: string,
  { segments }: Pick<IndexManifest, "segments">,
  signal: AbortSignal | undefined,
): Generator<{ readonly row: number; readonly stored: Uint8Array }, void, void> {
  const stored = new Uint8Array(BYTE_VECTOR);
  let first = 0;
  for (const { name, documentCount } of segments) {
    const file = ByteVectorFile.open(join(search, name, LOCAL_VECTORS, VECTOR_FILES.byteVectors));
    try {
      for (let row = 0; row < documentCount; row += 1) {
        signal?.throwIfAborted();
        file.readBytes(row, 1, stored);
        yield { row: first + row, stored };
      }
    } finally {
      file.close();
    }
    first += documentCount;
  }
}

/** Writes what follows the ordinal of a vector. @param at place of the record among the facts */
function writeVector(
  writer: RowBinaryWriter,
  facts: Omit<RecordFacts, "lengths">,
  at: number,
  stored: Uint8Array,
): void {
  const scale = new DataView(stored.buffer, DIMENSIONS, 4);
  writer.text(facts.ids[at]!).word(facts.platforms[at]!).word(facts.domains[at]!).word(facts.langs[at]!);
  writer.int64(facts.capturedMs[at]!).word(facts.languages[at]!).float32(scale.getFloat32(0, true));
  writer.array(DIMENSIONS).raw(stored.subarray(0, DIMENSIONS));
}

/** The vectors that slices brought, 32-bit floats, for the records that have one. */
export async function* givenVectorRows(
  staged: Staged,
  load: number,
  models: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const db = await Database.open(join(staged.dir, GENERATION_FILES.database), { readOnly: true });
  const writer = new RowBinaryWriter();
  const opened: { readonly first: number; readonly file: DownloadedVectors }[] = [];
  try {
    let first = 0;
    for (const { name, documentCount } of staged.index.segments) {
      opened.push({ first, file: await DownloadedVectors.open(join(staged.search, name)) });
      first += documentCount;
    }
    const sql = `SELECT "row", slice FROM records WHERE vector_row IS NOT NULL ORDER BY "row"`;
    for await (const batch of db.stream<{ row: number; slice: number }>(sql, [], signal)) {
      for (const { row, slice } of batch) {
        const segment = opened.findLast((each) => row >= each.first)!;
        const vector = segment.file.vector(row - segment.first)!;
        writer
          .uint64(load)
          .uint32(staged.first.records + row)
          .word(models[slice] ?? "")
          .array(vector.length);
        writer.raw(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
        if (writer.full) yield writer.take();
      }
    }
    yield writer.take();
  } finally {
    for (const { file } of opened) file.close();
    await db.close();
  }
}

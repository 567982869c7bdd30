import { join } from "node:path";
import { Database } from "../../duckdb/database.js";
import { LOCAL_VECTORS } from "../../search/index-manifest.js";
import { DownloadedVectors } from "../../search/segment/downloaded-vectors.js";
import { ByteVectorFile } from "../../search/vector/byte-vector-file.js";
import { BYTE_VECTOR } from "../../search/vector/byte-vectors.js";
import { VECTOR_FILES } from "../../search/vector/vector-files.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { RowBinaryWriter } from "../row-binary.js";
import { FACT_COLUMNS, type RecordFacts } from "./record-rows.js";
import type { Staged } from "./staged.js";

/** Columns of the table `vectors` in the order of {@link vectorRows}. */
export const VECTOR_COLUMNS: readonly string[] = [...FACT_COLUMNS, "scale", "bytes"];

/** Columns of the table `given_vectors` in the order of {@link givenVectorRows}. */
export const GIVEN_VECTOR_COLUMNS: readonly string[] = ["load", "ordinal", "model", "numbers"];

/** Bytes of the numbers of a stored vector, which its scale follows. */
const DIMENSIONS = BYTE_VECTOR - 4;

/** The vectors of the default embedder, as they are stored: 1536 signed bytes and a scale. */
export async function* vectorRows(
  staged: Staged,
  load: number,
  facts: RecordFacts,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = new RowBinaryWriter();
  const stored = new Uint8Array(BYTE_VECTOR);
  const scale = new DataView(stored.buffer, DIMENSIONS, 4);
  let first = staged.first.records;
  for (const { name, documentCount } of staged.index.segments) {
    const file = ByteVectorFile.open(join(staged.search, name, LOCAL_VECTORS, VECTOR_FILES.byteVectors));
    try {
      for (let row = 0; row < documentCount; row += 1) {
        signal?.throwIfAborted();
        const ordinal = first + row;
        file.readBytes(row, 1, stored);
        writer.uint64(load).uint32(ordinal).text(facts.ids[ordinal]!).word(facts.platforms[ordinal]!);
        writer.word(facts.domains[ordinal]!).word(facts.langs[ordinal]!).int64(facts.capturedMs[ordinal]!);
        writer.word(facts.languages[ordinal]!).float32(scale.getFloat32(0, true));
        writer.array(DIMENSIONS).raw(stored.subarray(0, DIMENSIONS));
        if (writer.full) yield writer.take();
      }
    } finally {
      file.close();
    }
    first += documentCount;
  }
  yield writer.take();
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

import { join } from "node:path";
import { Database } from "../../duckdb/database.js";
import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { RowBinaryWriter } from "../row-binary.js";
import type { Staged } from "./staged.js";

/** Columns of the table `raw` in the order of {@link rawRows}. */
export const RAW_ROW_COLUMNS: readonly string[] = [
  "load",
  "ordinal",
  "platform",
  "resource",
  "id",
  "parent",
  "reply_to",
  "author",
  "lang",
  "created_ms",
  "captured_ms",
  "score",
  "offset_s",
  "words",
  "content",
  "root",
  "item",
];

/** The raw items as rows of `raw`. */
export async function* rawRows(
  staged: Staged,
  load: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const db = await Database.open(join(staged.dir, GENERATION_FILES.database), { readOnly: true });
  const writer = new RowBinaryWriter();
  const text = (value: string) => writer.text(value);
  try {
    const sql = `SELECT slice, words, md5(data) AS content, ${columnNames(RAW_COLUMNS)} FROM raw ORDER BY "row"`;
    let ordinal = staged.first.raw;
    for await (const batch of db.stream(sql, [], signal)) {
      for (const row of batch) {
        const item = rawOfRow(row);
        writer.uint64(load).uint32(ordinal++).word(item.platform).word(item.resource).text(item.id);
        for (const value of [item.parent, item.reply_to, item.author]) writer.nullable(value, text);
        writer.word(item.lang);
        const created = item.created_at === undefined ? undefined : Date.parse(item.created_at);
        writer.nullable(created, (value) => writer.int64(value));
        writer.int64(Date.parse(item.captured_at)).float64(item.score);
        writer.nullable(item.offset_s, (value) => writer.float64(value));
        writer.text((row.words as string | null) ?? "").text(row.content as string);
        writer.word(staged.roots[row.slice as number]!).text(JSON.stringify(item));
        if (writer.full) yield writer.take();
      }
    }
    yield writer.take();
  } finally {
    await db.close();
  }
}

import { join } from "node:path";
import { Database } from "../../duckdb/database.js";
import { EMBEDDER, KEYWORD } from "../../search/index-manifest.js";
import { KeywordSegment } from "../../search/keyword/keyword-segment.js";
import { columnNames } from "../../slice/column.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { givenHash } from "../../store/generation/given-hash.js";
import { sortValue } from "../../store/memory/sort-value.js";
import { RowBinaryWriter } from "../row-binary.js";
import { ORDER_KEYS } from "../schema/schema.js";
import type { Staged } from "./staged.js";

/** Columns that the tables of records and of their vectors begin with: which row it is, and what filters ask of it. */
export const FACT_COLUMNS: readonly string[] = [
  "load",
  "ordinal",
  "id",
  "platform",
  "src",
  "lang",
  "captured_ms",
  "language",
];

/** Columns of the table `records` in the order of {@link recordRows}. */
export const RECORD_ROW_COLUMNS: readonly string[] = [
  ...FACT_COLUMNS,
  "length",
  "content",
  "root",
  ...ORDER_KEYS.map((key) => `by_${key}`),
  "record",
];

/** What filters ask of each record of a load, by ordinal. */
export interface RecordFacts {
  readonly ids: string[];
  readonly platforms: string[];
  readonly domains: string[];
  readonly langs: string[];
  readonly capturedMs: number[];
  readonly languages: string[];
  readonly lengths: number[];
}

/** Languages (primary subtags) and lengths in half words of the documents, as the keyword index has them. */
export async function documentFacts(staged: Staged): Promise<Pick<RecordFacts, "languages" | "lengths">> {
  const languages: string[] = [];
  const lengths: number[] = [];
  for (const { name } of staged.index.segments) {
    const keyword = await KeywordSegment.open(join(staged.search, name, KEYWORD));
    try {
      keyword.languages.forEach((number, row) => {
        languages.push(keyword.manifest.languages[number]!.language);
        lengths.push(keyword.lengths[row]!);
      });
    } finally {
      keyword.close();
    }
  }
  return { languages, lengths };
}

/** The records as rows of `records`; fills `facts` on the way. */
export async function* recordRows(
  staged: Staged,
  load: number,
  facts: RecordFacts,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const db = await Database.open(join(staged.dir, GENERATION_FILES.database), { readOnly: true });
  const writer = new RowBinaryWriter();
  try {
    const sql = `SELECT "row", slice, ${givenHash("records")} AS hash_given, ${columnNames(RECORD_COLUMNS)} FROM records ORDER BY "row"`;
    let ordinal = staged.first.records;
    for await (const batch of db.stream(sql, [], signal)) {
      for (const row of batch) {
        const record = recordOfRow(row);
        const capturedMs = Date.parse(record.prov.ts);
        const language = facts.languages[ordinal]!;
        writer.uint64(load).uint32(ordinal).text(record.id);
        writer.word(record.platform).word(record.src).word(record.lang).int64(capturedMs);
        writer.word(language).uint32(facts.lengths[ordinal]!);
        writer.text((row.hash_given as string | null) ?? "").word(staged.roots[row.slice as number]!);
        for (const key of ORDER_KEYS)
          writer.nullable(sortValue(record, key), (value) => writer.float64(value));
        writer.text(JSON.stringify(record));
        facts.ids.push(record.id);
        facts.platforms.push(record.platform);
        facts.domains.push(record.src);
        facts.langs.push(record.lang);
        facts.capturedMs.push(capturedMs);
        ordinal++;
        if (writer.full) yield writer.take();
      }
    }
    yield writer.take();
  } finally {
    await db.close();
  }
}

/** Folder of the fitted embedder of a staged index. */
export function modelFolder(staged: Staged): string {
  return join(staged.search, EMBEDDER);
}

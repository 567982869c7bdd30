import type { Database } from "../../duckdb/database.js";
import { writeNewFile } from "../../files/durable-files.js";
import { OpenFile } from "../../files/open-file.js";
import { DeflatedFile, DeflatedFileWriter } from "./deflated-file.js";
import { KeyTable, KeyTableWriter } from "./key-table.js";

/** Numbers per entry: row, created_ms, score, offset_s; NaN for a missing value. */
const ENTRY_NUMBERS = 4;
const SPAN_BYTES = 8;
/** Entries of a piece that no block divides, 16 kB. */
const PIECE_ENTRIES = 512;
/** Entries that are read at a time where all are. */
const SCANNED_ENTRIES = 8192;

/**
 * Key of a group: all items of a parent, its top-level items, the replies to an item, the replies to an item under a parent, or
 * the items of an author.
 */
export type GroupKey = {
  readonly platform: string;
  readonly resource: string;
  /** Given without parent and replyTo. */
  readonly author?: string;
  readonly parent?: string;
  /** Null: top-level items only. */
  readonly replyTo?: string | null;
};

/** Sort values of an item of a group. */
export interface GroupEntry {
  readonly row: number;
  readonly created: number;
  readonly score: number;
  readonly offset: number;
}

/** Where the entries of a group are among those of all. */
export interface GroupSpan {
  readonly first: number;
  readonly count: number;
}

/** A row of {@link rawGroupRows}: an item in a group. */
export interface GroupRow extends Record<string, unknown> {
  readonly kind: string;
  readonly platform: string;
  readonly resource: string;
  readonly owner: string | null;
  readonly reply_to: string | null;
  readonly row: number;
  readonly created_ms: number | null;
  readonly score: number;
  readonly offset_s: number | null;
}

const member = (kind: string, owner: string, replyTo: string, condition: string) => `
  SELECT '${kind}' AS kind, platform, resource, ${owner} AS owner, ${replyTo} AS reply_to, "row", created_ms, score, offset_s
  FROM raw WHERE "row" >= $1 AND ${condition}`;

/** Rows of the groups from row `$1` on, as {@link GroupRow}, group by group. */
const GROUPS_SQL = `
  ${member("parent", "parent", "NULL", "parent IS NOT NULL")}
  UNION ALL ${member("top", "parent", "NULL", "parent IS NOT NULL AND reply_to IS NULL")}
  UNION ALL ${member("replies", "NULL", "reply_to", "reply_to IS NOT NULL")}
  UNION ALL ${member("parent-replies", "parent", "reply_to", "parent IS NOT NULL AND reply_to IS NOT NULL")}
  UNION ALL ${member("author", "author", "NULL", "author IS NOT NULL")}
  ORDER BY kind, platform, resource, owner, reply_to, "row"`;

function groupText(
  kind: string,
  platform: string,
  resource: string,
  parent: string,
  replyTo: string,
): string {
  return `${kind}\u0000${platform}\u0000${resource}\u0000${parent}\u0000${replyTo}`;
}

function textOfKey({ platform, resource, author, parent, replyTo }: GroupKey): string {
  if (author !== undefined) return groupText("author", platform, resource, author, "");
  if (replyTo === undefined) return groupText("parent", platform, resource, parent ?? "", "");
  if (replyTo === null) return groupText("top", platform, resource, parent ?? "", "");
  const kind = parent === undefined ? "replies" : "parent-replies";
  return groupText(kind, platform, resource, parent ?? "", replyTo);
}

/**
 * Writes the groups of the raw items from row `first` on. `<path>.entries` has the entries (four float64 each), grouped, sorted by
 * row, in deflated blocks; `<path>.spans` first entry and count (uint32) of each group; `<path>.keys` the number of each group.
 */
export async function writeRawGroups(
  db: Database,
  path: string,
  first: number,
  signal?: AbortSignal,
): Promise<void> {
  const entries = await DeflatedFileWriter.create(`${path}.entries`);
  const keys: string[] = [];
  const spans: number[] = [];
  try {
    let current = "";
    let total = 0;
    for await (const batch of db.stream<GroupRow>(GROUPS_SQL, [first], signal)) {
      const numbers = new Float64Array(batch.length * ENTRY_NUMBERS);
      batch.forEach((row, i) => {
        const key = groupText(row.kind, row.platform, row.resource, row.owner ?? "", row.reply_to ?? "");
        if (key !== current) {
          current = key;
          keys.push(key);
          spans.push(total, 0);
        }
        spans[spans.length - 1]!++;
        total++;
        numbers.set(
          [row.row, row.created_ms ?? Number.NaN, row.score, row.offset_s ?? Number.NaN],
          i * ENTRY_NUMBERS,
        );
      });
      await entries.append(pieces(numbers));
    }
    await entries.finish();
  } finally {
    await entries.close();
  }
  await writeNewFile(`${path}.spans`, new Uint8Array(Uint32Array.from(spans).buffer));
  const table = new KeyTableWriter(keys.length);
  for (const [number, key] of keys.entries()) table.add(key, number);
  await table.write(`${path}.keys`);
}

function pieces(numbers: Float64Array): Uint8Array[] {
  const bytes = new Uint8Array(numbers.buffer);
  const length = PIECE_ENTRIES * ENTRY_NUMBERS * numbers.BYTES_PER_ELEMENT;
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  );
}

/** The rows of all groups of a database, in batches, group by group and by row. */
export function rawGroupRows(db: Database, signal?: AbortSignal): AsyncIterable<GroupRow[]> {
  return db.stream<GroupRow>(GROUPS_SQL, [0], signal);
}

/** The parts of a group that are read at a time where it is large. */
export function* piecesOf({ first, count }: GroupSpan): Generator<GroupSpan, void, void> {
  for (let done = 0; done < count; done += SCANNED_ENTRIES)
    yield { first: first + done, count: Math.min(SCANNED_ENTRIES, count - done) };
}

/** Reads the groups of {@link writeRawGroups}. */
export class RawGroups {
  private constructor(
    private readonly entries: DeflatedFile,
    private readonly spans: OpenFile,
    private readonly keys: KeyTable,
    private readonly moved: number,
  ) {}

  /** Opens the files read-only. @param moved by how much the rows were greater when they were written */
  static async open(path: string, moved = 0): Promise<RawGroups> {
    const keys = await KeyTable.open(`${path}.keys`);
    let entries: DeflatedFile | undefined;
    try {
      entries = DeflatedFile.open(`${path}.entries`);
      return new RawGroups(entries, OpenFile.open(`${path}.spans`), keys, moved);
    } catch (error) {
      entries?.close();
      keys.close();
      throw error;
    }
  }

  /**
   * Where the entries of a group are; undefined if there is no such group. `isMatch` says whether the item in a row belongs to the
   * group, because two keys may share a fingerprint.
   */
  find(key: GroupKey, isMatch: (row: number) => boolean): GroupSpan | undefined {
    const span = new Uint32Array(2);
    const group = this.keys.find(textOfKey(key), (number) => {
      this.spans.read(span, number * SPAN_BYTES);
      return isMatch(this.readEntries(span[0]!, 1)[0]!);
    });
    return group === undefined ? undefined : { first: span[0]!, count: span[1]! };
  }

  /** The entries of a group that was found, or of a part of it, sorted by row. */
  entriesOf({ first, count }: GroupSpan): GroupEntry[] {
    const numbers = this.readEntries(first, count);
    const entries: GroupEntry[] = [];
    for (let i = 0; i < numbers.length; i += ENTRY_NUMBERS) {
      entries.push({
        row: numbers[i]!,
        created: numbers[i + 1]!,
        score: numbers[i + 2]!,
        offset: numbers[i + 3]!,
      });
    }
    return entries;
  }

  /** Number of entries of all groups. */
  get entryCount(): number {
    return this.entries.size / (ENTRY_NUMBERS * 8);
  }

  /** The rows of the entries of all groups, in batches. */
  *rows(): Generator<number[], void, void> {
    for (const { first, count } of piecesOf({ first: 0, count: this.entryCount })) {
      const numbers = this.readEntries(first, count);
      yield Array.from({ length: numbers.length / ENTRY_NUMBERS }, (_, i) => numbers[i * ENTRY_NUMBERS]!);
    }
  }

  /** Closes the files. */
  close(): void {
    this.entries.close();
    this.spans.close();
    this.keys.close();
  }

  private readEntries(first: number, count: number): Float64Array {
    const numbers = new Float64Array(count * ENTRY_NUMBERS);
    this.entries.read(new Uint8Array(numbers.buffer), first * ENTRY_NUMBERS * 8);
    if (this.moved !== 0) for (let i = 0; i < numbers.length; i += ENTRY_NUMBERS) numbers[i]! -= this.moved;
    return numbers;
  }
}

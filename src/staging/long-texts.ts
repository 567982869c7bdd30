import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { SqlValue } from "../duckdb/database.js";
import { nextTurn } from "../next-turn.js";
import type { Column, TableRow } from "../slice/column.js";
import { STAGING_DEFAULTS } from "./defaults.js";

/** Places of a row's long texts by column: first byte in the file, number of bytes, whether it is a list as JSON. */
const Places = z.record(z.string(), z.tuple([z.int(), z.int(), z.boolean()]));

/** Bytes of a write to the file. */
const WRITE_BYTES = 4 << 20;

/**
 * Long texts and lists of staged rows, in a file beside the engine's: it takes 2,048 rows at once and sorts 120,000 of them in memory,
 * which long ones would fill. Rows have null in their place.
 */
export class LongTexts {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private keptBytes = 0;
  private end = 0;
  /** Bytes of the longest values of one row. */
  longest = 0;

  private constructor(private readonly file: FileHandle) {}

  /** Opens an empty file in a folder. */
  static async open(dir: string): Promise<LongTexts> {
    return new LongTexts(await open(join(dir, "long-texts"), "w+"));
  }

  /**
   * Takes the long values out of a row, whose first cells are of `columns`; the first ones of an input stay in their rows.
   * @returns what {@link LongTexts.restore} needs: empty where they stay, null where the row has none
   */
  async take<T>(columns: readonly Column<T>[], row: SqlValue[]): Promise<string | null> {
    let bytesOfRow = 0;
    for (let i = 0; i < columns.length; i++) {
      const bytes = textBytes(row[i]!);
      if (bytes > STAGING_DEFAULTS.longBytes) bytesOfRow += bytes;
    }
    if (bytesOfRow === 0) return null;
    const { keptBytes, keptRowBytes } = STAGING_DEFAULTS;
    // Each pass over such texts takes milliseconds a megabyte.
    if (bytesOfRow > STAGING_DEFAULTS.turnBytes) await nextTurn();
    if (bytesOfRow > keptRowBytes || this.keptBytes + bytesOfRow > keptBytes)
      return this.takeOut(columns, row);
    this.keptBytes += bytesOfRow;
    this.longest = Math.max(this.longest, bytesOfRow);
    return "";
  }

  private async takeOut<T>(columns: readonly Column<T>[], row: SqlValue[]): Promise<string> {
    const places: z.infer<typeof Places> = {};
    const start = this.end;
    for (const [i, { name }] of columns.entries()) {
      const value = row[i]!;
      if (textBytes(value) <= STAGING_DEFAULTS.longBytes) continue;
      const list = typeof value !== "string";
      const bytes = Buffer.from(list ? JSON.stringify(value) : value);
      places[name] = [this.end, bytes.length, list];
      row[i] = null;
      this.end += bytes.length;
      this.waiting.push(bytes);
      this.waitingBytes += bytes.length;
    }
    this.longest = Math.max(this.longest, this.end - start);
    if (this.waitingBytes >= WRITE_BYTES) await this.flush();
    return JSON.stringify(places);
  }

  /** Writes what waits in memory; before that nothing can be restored. */
  async flush(): Promise<void> {
    for (const bytes of this.waiting.splice(0)) await this.file.appendFile(bytes);
    this.waitingBytes = 0;
  }

  /** A staged row with its long values. */
  restore(row: TableRow): TableRow {
    if (typeof row.long_texts !== "string" || row.long_texts === "") return row;
    const whole: Record<string, unknown> = { ...row };
    for (const [name, [from, length, list]] of Object.entries(Places.parse(JSON.parse(row.long_texts)))) {
      const text = this.read(from, length);
      whole[name] = list ? JSON.parse(text) : text;
    }
    return whole;
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private read(from: number, length: number): string {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const read = readSync(this.file.fd, bytes, at, length - at, from + at);
      if (read === 0) throw new Error(`The file of long texts ends before byte ${from + length}`);
      at += read;
    }
    return bytes.toString();
  }
}

/** The bytes (UTF-8) of a text or of a list's texts; 0 for other values. */
export function textBytes(value: SqlValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + textBytes(item), 0) : 0;
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readWhole } from "../../files/read-whole.js";

const TEXT_FILE = "ids.txt";
const ENDS_FILE = "ids.u32";

/** The record ids of a segment by row, as bytes: a million ids take tens of megabytes, not hundreds. */
export class IdTable {
  private constructor(
    private readonly text: Buffer,
    private readonly ends: Uint32Array,
  ) {}

  /** Writes the ids of a segment's rows, in order, to its folder. */
  static async write(dir: string, ids: readonly string[]): Promise<void> {
    const { text, ends } = IdTable.of(ids);
    await writeFile(join(dir, TEXT_FILE), text);
    await writeFile(join(dir, ENDS_FILE), new Uint8Array(ends.buffer));
  }

  /** A table in memory of the ids of rows, in order. */
  static of(ids: readonly string[]): IdTable {
    const ends = new Uint32Array(ids.length);
    let end = 0;
    ids.forEach((id, row) => {
      end += Buffer.byteLength(id);
      ends[row] = end;
    });
    return new IdTable(Buffer.from(ids.join("")), ends);
  }

  static async open(dir: string): Promise<IdTable> {
    const [text, ends] = await Promise.all([TEXT_FILE, ENDS_FILE].map((name) => readWhole(join(dir, name))));
    return new IdTable(Buffer.from(text!.buffer), new Uint32Array(ends!.buffer));
  }

  get count(): number {
    return this.ends.length;
  }

  /** Compares the id of a row with that of a row of some table, by code points: below 0 where it comes first. */
  compare(row: number, other: IdTable, otherRow: number): number {
    return this.text.compare(
      other.text,
      other.start(otherRow),
      other.ends[otherRow]!,
      this.start(row),
      this.ends[row]!,
    );
  }

  private start(row: number): number {
    return row === 0 ? 0 : this.ends[row - 1]!;
  }
}

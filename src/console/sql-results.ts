import { Buffer } from "node:buffer";
import type { RandomSource } from "../account/api-key.js";
import type { ResultColumn, SqlRow, StreamOptions } from "../lake/query/lake-sql.js";
import { nextTurn } from "../next-turn.js";
import { ConsoleError } from "./console-error.js";
import { CONSOLE_DEFAULTS } from "./defaults.js";
import { type Shortened, shorten } from "./shorten.js";
import type { CellAnswer, SqlPageAnswer } from "./sql-answers.js";

/** A result that is kept. */
export interface KeptResult {
  readonly id: number;
  readonly text: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly CellAnswer[])[];
  readonly cut: boolean;
  /** Columns of rows with values that are longer than what is kept of one. */
  readonly cutCells: ReadonlyMap<number, readonly number[]>;
}

/** Bytes of the number that ids are counted from; ids stay whole numbers of a double. */
const FIRST_ID_BYTES = 6;

/** Cells that are taken before others get their turn. */
const TURN_CELLS = 16_384;

/** Results of queries, kept for their pages: the newest few, each of a limited size. */
export class SqlResults {
  private readonly kept = new Map<number, KeptResult>();
  private last: number;

  /** @param random gives the first id: a page that is still open would take a result of another server for its own */
  constructor(random: RandomSource) {
    this.last = Buffer.from(random(FIRST_ID_BYTES)).readUIntBE(0, FIRST_ID_BYTES);
  }

  /** Collects rows until a result is full. @param stream runs the query */
  async collect(
    text: string,
    stream: (options: StreamOptions) => AsyncIterable<readonly SqlRow[]>,
  ): Promise<KeptResult> {
    const rows: CellAnswer[][] = [];
    let columns: readonly ResultColumn[] = [];
    let characters = 0;
    let taken = 0;
    let cut = false;
    const cutCells = new Map<number, number[]>();
    const onColumns = (found: readonly ResultColumn[]) => {
      columns = found;
    };
    for await (const batch of stream({ onColumns })) {
      for (const row of batch) {
        if (rows.length === CONSOLE_DEFAULTS.sqlRows || characters > CONSOLE_DEFAULTS.sqlCharacters) {
          cut = true;
          break;
        }
        const cells = columns.map(({ name }, column) => {
          const { value, whole } = cellOf(row[name]);
          if (!whole) cutCells.set(rows.length, [...(cutCells.get(rows.length) ?? []), column]);
          return value;
        });
        taken += columns.length;
        if (taken >= TURN_CELLS) {
          taken = 0;
          await nextTurn();
        }
        for (const cell of cells) characters += typeof cell === "string" ? cell.length + 8 : 8;
        rows.push(cells);
      }
      if (cut) break;
    }
    const result = { id: ++this.last, text, columns, rows, cut, cutCells };
    this.kept.set(result.id, result);
    for (const id of this.kept.keys())
      if (id <= this.last - CONSOLE_DEFAULTS.sqlResults) this.kept.delete(id);
    return result;
  }

  /** @throws ConsoleError `console_result_gone` if the result is not kept any more */
  get(id: number): KeptResult {
    const result = this.kept.get(id);
    if (result !== undefined) return result;
    throw new ConsoleError(
      410,
      "console_result_gone",
      "The server no longer keeps this result",
      "Run the query again.",
    );
  }
}

/** The rows of a page, with long texts cut. */
export function pageOf({ rows }: KeptResult, offset: number, limit: number): SqlPageAnswer {
  return { offset, rows: rows.slice(offset, offset + limit).map((cells) => cells.map(shortCell)) };
}

/** A cell with a long text cut. */
export function shortCell(cell: CellAnswer): CellAnswer {
  return typeof cell === "string" ? shorten(cell).value : cell;
}

/** What JSON can say of a cell: structures as text, vectors as their length, bytes as DuckDB prints them. */
function cellOf(cell: unknown): Shortened<CellAnswer> {
  const { value, whole } = shorten(cell, CONSOLE_DEFAULTS.cellLength);
  if (value === null || value === undefined) return { value: null, whole };
  if (typeof value === "number") return { value: Number.isFinite(value) ? value : String(value), whole };
  if (typeof value === "string" || typeof value === "boolean") return { value, whole };
  const text = shorten(JSON.stringify(value), CONSOLE_DEFAULTS.cellLength);
  return { value: text.value, whole: whole && text.whole };
}

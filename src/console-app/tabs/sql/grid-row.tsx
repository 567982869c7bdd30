import { useMemo } from "preact/hooks";
import type { CellAnswer } from "../../../console/sql-answers.js";
import { cutText } from "../../format.js";

/** What the columns of a table are, for each of its rows. */
export interface GridColumns {
  readonly names: readonly string[];
  readonly numeric: readonly boolean[];
  /** Characters that are seen of each. */
  readonly widths: readonly number[];
}

/** Name of a row or a cell in the page, for what says where the keyboard is. */
export const placeId = (row: number, column: number) => `row-${row}${column < 0 ? "" : `-${column}`}`;

/** A row of a result. It is drawn again only when something in it is another: a wide table has thousands of cells. */
export function GridRow(props: {
  readonly index: number;
  readonly row: readonly CellAnswer[] | undefined;
  readonly columns: GridColumns;
  /** The columns that are seen: the first, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The column that the keyboard is at, -1 for the row, undefined for neither. */
  readonly at: number | undefined;
  readonly open: (row: number) => void;
}) {
  const { index, row, columns, from, to, at, open } = props;
  return useMemo(() => {
    const { names, numeric, widths } = columns;
    const cell = (name: string, column: number) => {
      const value = row?.[column];
      const text = row === undefined ? "…" : String(value ?? "");
      const look = [numeric[column] && "number", at === column && "at"].filter(Boolean).join(" ");
      return (
        <td
          key={name}
          id={placeId(index, column)}
          aria-colindex={column + 2}
          class={look}
          dir="auto"
          title={text.length > widths[column]! ? cutText(text, 600) : undefined}
        >
          {value === null ? <span class="muted">NULL</span> : cutText(text, widths[column]! + 20)}
        </td>
      );
    };
    return (
      <tr id={placeId(index, -1)} aria-rowindex={index + 2} class={at === -1 ? "at" : ""}>
        <td class="number muted" aria-colindex={1}>
          {row === undefined || isWhole(row, widths) ? (
            index + 1
          ) : (
            <button
              type="button"
              class="quiet"
              tabIndex={-1}
              aria-label={`Open row ${index + 1}`}
              onClick={() => open(index)}
            >
              {index + 1}
            </button>
          )}
        </td>
        {from > 0 && <td colSpan={from} aria-hidden="true" />}
        {names.slice(from, to).map((name, column) => cell(name, from + column))}
        {to < names.length && <td colSpan={names.length - to} aria-hidden="true" />}
      </tr>
    );
  }, [index, row, columns, from, to, at]);
}

/** Whether all of a row is seen in its cells. */
function isWhole(row: readonly CellAnswer[], widths: readonly number[]): boolean {
  return row.every(
    (cell, column) => typeof cell !== "string" || (cell.length <= widths[column]! && !cell.includes("\n")),
  );
}

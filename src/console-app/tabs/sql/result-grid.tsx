import { useMemo, useRef, useState } from "preact/hooks";
import type { SqlAnswer } from "../../../console/sql-answers.js";
import { GoToRow } from "./go-to-row.js";
import { type GridPlace, placeAfter } from "./grid-place.js";
import { type GridColumns, GridRow, placeId } from "./grid-row.js";
import { ResultFailure } from "./result-failure.js";
import { RowPanel } from "./row-panel.js";
import { useResultRows } from "./use-result-rows.js";
import { useWindow } from "./use-window.js";

/** Height of a row, and width of a character, px; cells are one line. */
const ROW = 30;
const CHARACTER = 8.5;

/** Widths of columns, in characters; that of the numbers of rows, and room beside a text. */
const NARROW = 6;
const WIDE = 44;
const NUMBER = 7;
const ROOM = 3;

/** Rows of which the widths of columns are taken. */
const MEASURED = 50;

/** Rows from which on one is asked for by its number. */
const MANY = 50;

const columnsOf = ({ columns: names, numeric, page }: SqlAnswer): GridColumns => {
  const longest = (name: string, column: number) =>
    Math.max(...page.rows.slice(0, MEASURED).map((row) => String(row[column] ?? "").length), name.length);
  const widths = names.map((name, at) => Math.min(WIDE, Math.max(NARROW, longest(name, at))) + ROOM);
  return { names, numeric, widths };
};

/**
 * A result as a table of any size: only what is seen is there, and pages come when they are near. The table has the focus as a whole, and
 * says which row or cell the arrow keys are at: those come and go. Enter opens a row.
 */
export function ResultGrid(props: {
  readonly result: SqlAnswer;
  /** Runs the query again. */
  readonly rerun: () => void;
}) {
  const { result, rerun } = props;
  const { rows } = result;
  const box = useRef<HTMLElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const from = useRef<Element | null>(null);
  const [opened, setOpened] = useState<number>();
  const [at, setAt] = useState<GridPlace>({ row: 0, column: -1 });
  const columns = useMemo(() => columnsOf(result), [result.id]);
  const { names, numeric, widths } = columns;
  const down = useWindow(box, { count: rows, estimateSize: () => ROW, overscan: 12, scrollPaddingEnd: ROW });
  const across = useWindow(box, {
    horizontal: true,
    count: names.length,
    estimateSize: (column) => widths[column]! * CHARACTER,
    overscan: 2,
    paddingStart: NUMBER * CHARACTER,
  });
  const items = down.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const seen = across.getVirtualItems();
  const [left, right] = [seen[0]?.index ?? 0, (seen.at(-1)?.index ?? names.length - 1) + 1];
  const kept = useResultRows(result, first, last);
  const goTo = (place: GridPlace) => {
    setAt(place);
    down.scrollToIndex(place.row);
    if (place.column >= 0) across.scrollToIndex(place.column);
    else box.current?.scrollTo({ left: 0 });
    table.current?.focus({ preventScroll: true });
  };
  const open = (row: number) => {
    from.current = document.activeElement;
    setOpened(row);
  };
  const close = () => {
    setOpened(undefined);
    // What opened the row has the focus again, or the table if that is gone. The table stays where it was scrolled to.
    const back = from.current?.isConnected ? (from.current as HTMLElement) : table.current;
    back?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Escape" && opened !== undefined) close();
    if (event.key === "Enter" || event.key === " ") {
      if (event.target !== table.current) return;
      event.preventDefault();
      open(at.row);
      return;
    }
    const height = (box.current?.clientHeight ?? ROW) - ROW;
    const size = { rows, columns: names.length, seen: Math.max(1, Math.floor(height / ROW)) };
    const next = placeAfter(event.key, at, size);
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  };
  const [above, below] = [items[0]?.start ?? 0, down.getTotalSize() - (items.at(-1)?.end ?? 0)];
  const isSeen =
    at.row >= first && at.row <= last && at.column < right && (at.column < 0 || at.column >= left);
  return (
    <>
      {kept.failure && <ResultFailure failure={kept.failure} again={kept.again} rerun={rerun} />}
      {rows > MANY && <GoToRow rows={rows} goTo={(row) => goTo({ row, column: -1 })} />}
      <section class="grid" ref={box} aria-label="Rows of the result">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys work in it, as in a grid
          role="grid"
          ref={table}
          tabIndex={0}
          aria-label="Rows of the result; arrow keys go through them, Enter opens one"
          aria-rowcount={rows + 1}
          aria-colcount={names.length + 1}
          aria-activedescendant={isSeen ? placeId(at.row, at.column) : undefined}
          style={{ width: `${widths.reduce((sum, each) => sum + each, NUMBER) * CHARACTER}px` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>
            <col style={{ width: `${NUMBER * CHARACTER}px` }} />
            {widths.map((width, column) => (
              <col key={names[column]} style={{ width: `${width * CHARACTER}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" class="number" aria-colindex={1}>
                <span class="hidden">Row</span>
              </th>
              {names.map((name, column) => (
                <th
                  key={name}
                  scope="col"
                  class={numeric[column] ? "number" : ""}
                  title={name}
                  aria-colindex={column + 2}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && (
              <tr class="spacer">
                <td style={{ height: `${above}px` }} />
              </tr>
            )}
            {items.map(({ index }) => (
              <GridRow
                key={index}
                index={index}
                row={kept.at(index)}
                columns={columns}
                from={left}
                to={right}
                at={at.row === index ? at.column : undefined}
                open={open}
              />
            ))}
            {below > 0 && (
              <tr class="spacer">
                <td style={{ height: `${below}px` }} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
      {opened !== undefined && <RowPanel result={result} row={opened} close={close} rerun={rerun} />}
    </>
  );
}

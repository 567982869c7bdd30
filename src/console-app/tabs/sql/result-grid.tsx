import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CellAnswer, SqlAnswer, SqlPageAnswer } from "../../../console/sql-answers.js";
import { type ApiFailure, send } from "../../api.js";
import { cutText } from "../../format.js";
import { Failure } from "../../parts/states.js";
import { failureOf } from "../../resource.js";
import { RowPanel } from "./row-panel.js";

/** Height of a row, px; cells are one line. */
const ROW = 30;

/** Rows of a page of the server. */
const PAGE = 200;

/** Widths of columns, in characters. */
const NARROW = 6;
const WIDE = 44;

/** A result as a table of any length: only what is seen is there, and pages come when they are near. A row with more than fits opens. */
export function ResultGrid({ result }: { readonly result: SqlAnswer }) {
  const { id, columns, numeric, rows, page } = result;
  const box = useRef<HTMLElement>(null);
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState<ApiFailure>();
  const [opened, setOpened] = useState<number>();
  const pages = useRef(new Map<number, readonly (readonly CellAnswer[])[] | undefined>([[0, page.rows]]));
  const virtualizer = useRef<Virtualizer<HTMLElement, Element>>(undefined);
  virtualizer.current ??= new Virtualizer<HTMLElement, Element>({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: 12,
    initialRect: { width: 0, height: 480 },
    onChange: () => redraw((n) => n + 1),
  });
  const virtual = virtualizer.current;
  useLayoutEffect(() => {
    const end = virtual._didMount();
    virtual._willUpdate();
    redraw((n) => n + 1);
    return end;
  }, []);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    for (let at = Math.floor(first / PAGE); at <= Math.floor(last / PAGE); at++) {
      if (pages.current.has(at)) continue;
      pages.current.set(at, undefined);
      send<SqlPageAnswer>("GET", "sql/page", { id, offset: at * PAGE, limit: PAGE })
        .then((answer) => {
          pages.current.set(at, answer.rows);
          redraw((n) => n + 1);
        })
        .catch((error: unknown) => {
          pages.current.delete(at);
          setFailure(failureOf(error));
        });
    }
  }, [id, first, last]);
  const widths = columns.map((name, column) => {
    const longest = Math.max(
      ...page.rows.slice(0, 50).map((row) => String(row[column] ?? "").length),
      name.length,
    );
    return Math.min(WIDE, Math.max(NARROW, longest)) + 3;
  });
  const isWhole = (row: readonly CellAnswer[]) =>
    row.every(
      (cell, column) => typeof cell !== "string" || (cell.length <= widths[column]! && !cell.includes("\n")),
    );
  const close = (row: number) => {
    setOpened(undefined);
    // What opened the row has the focus again, or the table if it was scrolled away.
    (box.current?.querySelector<HTMLElement>(`button[data-row="${row}"]`) ?? box.current)?.focus();
  };
  const total = virtual.getTotalSize();
  const [above, below] = [items[0]?.start ?? 0, total - (items.at(-1)?.end ?? 0)];
  return (
    <>
      {failure && <Failure failure={failure} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse can scroll only what can have the focus */}
      <section class="grid" ref={box} tabIndex={0} aria-label="Rows of the result">
        <table aria-rowcount={rows + 1} style={{ width: `${widths.reduce((sum, each) => sum + each, 7)}ch` }}>
          <colgroup>
            <col style={{ width: "7ch" }} />
            {widths.map((width, column) => (
              <col key={columns[column]} style={{ width: `${width}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" class="number">
                <span class="hidden">Row</span>
              </th>
              {columns.map((name, column) => (
                <th key={name} scope="col" class={numeric[column] ? "number" : ""} title={name}>
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
            {items.map(({ index }) => {
              const row = pages.current.get(Math.floor(index / PAGE))?.[index % PAGE];
              return (
                <tr key={index} aria-rowindex={index + 2}>
                  <td class="number muted">
                    {row === undefined || isWhole(row) ? (
                      index + 1
                    ) : (
                      <button
                        type="button"
                        class="quiet"
                        data-row={index}
                        aria-label={`Open row ${index + 1}`}
                        onClick={() => setOpened(index)}
                      >
                        {index + 1}
                      </button>
                    )}
                  </td>
                  {columns.map((name, column) => {
                    const cell = row?.[column];
                    const text = row === undefined ? "…" : String(cell ?? "");
                    return (
                      <td
                        key={name}
                        class={numeric[column] ? "number" : ""}
                        dir="auto"
                        title={cutText(text, 600)}
                      >
                        {cell === null ? <span class="muted">NULL</span> : cutText(text, 300)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            {below > 0 && (
              <tr class="spacer">
                <td style={{ height: `${below}px` }} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
      {opened !== undefined && <RowPanel result={result} row={opened} close={() => close(opened)} />}
    </>
  );
}

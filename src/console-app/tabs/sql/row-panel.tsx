import { useEffect, useRef } from "preact/hooks";
import type { SqlAnswer, SqlRowAnswer } from "../../../console/sql-answers.js";
import { count } from "../../format.js";
import { CopyButton } from "../../parts/copy-button.js";
import { Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { ResultFailure } from "./result-failure.js";

/** A row of a result with its values whole. It takes the focus, so that who reads by keyboard or ear is there. */
export function RowPanel(props: {
  readonly result: SqlAnswer;
  /** From 0. */
  readonly row: number;
  readonly close: () => void;
  /** Runs the query again. */
  readonly rerun: () => void;
}) {
  const { result, row, close, rerun } = props;
  const { current, failure, loading, again } = useResource<SqlRowAnswer>("sql/row", { id: result.id, row });
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [row]);
  return (
    <section
      class="panel row-panel"
      aria-label={`Row ${count(row + 1)}, whole`}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <div class="row">
        <h2 ref={title} tabIndex={-1}>
          Row {count(row + 1)}
        </h2>
        <button type="button" onClick={close}>
          Close the row
        </button>
      </div>
      {failure && <ResultFailure failure={failure} again={again} rerun={rerun} />}
      {!current && loading && <Loading what="the row" />}
      <dl>
        {current?.cells.map((cell, column) => (
          <div key={result.columns[column]}>
            <dt>
              {result.columns[column]}
              {typeof cell === "string" && cell !== "" && <CopyButton text={cell} label="Copy" />}
            </dt>
            {current.cut.includes(column) && (
              <p class="hint">The beginning of a longer value. The download has all of it.</p>
            )}
            <dd dir="auto">{cell === null ? <span class="muted">NULL</span> : String(cell)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

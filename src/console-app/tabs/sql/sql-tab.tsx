import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SqlAnswer, ViewAnswer } from "../../../console/sql-answers.js";
import { count, counted, duration } from "../../format.js";
import { Button } from "../../parts/button.js";
import { lazy } from "../../parts/lazy.js";
import { Empty, Failure, Spoken } from "../../parts/states.js";
import { Toggles } from "../../parts/toggles.js";
import { useResource } from "../../resource.js";
import { ROOT } from "../../root.js";
import { change, place } from "../../router.js";
import { useQueryRun } from "./query-run.js";
import { ResultGrid } from "./result-grid.js";

const Editor = lazy(async () => (await import("./sql-editor.js")).SqlEditor);
const Chart = lazy(async () => (await import("./result-chart.js")).ResultChart);

const EXAMPLE =
  "SELECT platform, lang, count(*) AS records\nFROM records\nGROUP BY ALL\nORDER BY records DESC";

/** What was written last, for who leaves the view and comes back before it is run. */
let written = EXAMPLE;

/** Queries of one's own over the views of the lake. */
export function SqlTab() {
  const { query, show = "table" } = place.value.params;
  const views = useResource<readonly ViewAnswer[]>("sql/views", {});
  const shown = useMemo(() => query ?? written, [query]);
  const text = useRef(shown);
  // The address says what was run: it is run again when the page is opened with it.
  const { outcome, again, stop } = useQueryRun(query);
  const running = outcome.state === "running";
  useEffect(() => {
    text.current = shown;
  }, [shown]);
  const submit = () => {
    if (text.current.trim() === "") return;
    if (text.current === query) again();
    else change({ query: text.current });
  };
  return (
    <>
      <div class="sql-split">
        <section aria-label="Query">
          {views.data && (
            <Editor
              text={shown}
              views={views.data}
              onChange={(changed) => {
                text.current = changed;
                written = changed;
              }}
              onRun={submit}
            />
          )}
          {views.failure && <Failure failure={views.failure} again={views.again} />}
          <div class="field-row">
            <Button class="primary" onClick={submit} off={running}>
              Run
            </Button>
            {running && (
              <button type="button" onClick={stop}>
                Stop
              </button>
            )}
            <span class="hint">
              Ctrl or ⌘ and Enter runs it. Tab leaves the editor. Queries read; they change nothing.
            </span>
          </div>
        </section>
        <aside class="views" aria-label="Views">
          {views.data?.map((view) => (
            <details key={view.name}>
              <summary>
                <code>{view.name}</code>
              </summary>
              <p class="hint">{view.meaning}</p>
              <dl class="columns">
                {view.columns.map(({ name, type, meaning }) => [
                  <dt key={name}>
                    <code>{name}</code> <small class="muted">{type.toLowerCase()}</small>
                  </dt>,
                  <dd key={`${name} meaning`}>{meaning}</dd>,
                ])}
              </dl>
            </details>
          ))}
        </aside>
      </div>
      <section aria-label="Result" aria-busy={running}>
        <div class="row spread">
          <Spoken what={running ? "the result" : undefined}>
            {outcome.state === "stopped" && <Empty title="The query was stopped" />}
            {outcome.state === "done" && <Size result={outcome.result} />}
          </Spoken>
          {outcome.state === "done" && outcome.result.rows > 0 && (
            <Forms result={outcome.result} show={show} />
          )}
        </div>
        {outcome.state === "failed" && <Failure failure={outcome.failure} />}
        {outcome.state === "none" && (
          <Empty title="No result yet">
            <p>Run a query. The views on the side say what there is.</p>
          </Empty>
        )}
        {outcome.state === "done" && <Result result={outcome.result} show={show} />}
      </section>
    </>
  );
}

/** How much a result is. */
function Size({ result }: { readonly result: SqlAnswer }) {
  return (
    <p>
      {counted(result.rows, "row")}
      {result.cut && ` of more: the console keeps ${count(result.rows)}, the download has all`}
      <span class="muted"> · {duration(result.ms)}</span>
    </p>
  );
}

/** The forms that a result is shown in, and its files. */
function Forms({ result, show }: { readonly result: SqlAnswer; readonly show: string }) {
  return (
    <div class="row">
      <Toggles
        label="Form of the result"
        value={show}
        onChange={(value) => change({ show: value === "table" ? undefined : value })}
        options={[
          ["table", "Table"],
          ["chart", "Chart"],
        ]}
      />
      {(["csv", "jsonl"] as const).map((format) => (
        <a
          key={format}
          class="button"
          href={`${ROOT}console/api/sql/file?id=${result.id}&format=${format}`}
          download={`mirrorlake-query.${format}`}
        >
          {format === "csv" ? "CSV" : "JSON Lines"}
        </a>
      ))}
    </div>
  );
}

/** A result in the form that is chosen. */
function Result({ result, show }: { readonly result: SqlAnswer; readonly show: string }) {
  return (
    <>
      {result.rows === 0 && <Empty title="The query found no row" />}
      {result.rows > 0 && show === "table" && <ResultGrid key={result.id} result={result} />}
      {result.rows > 0 && show === "chart" && <Chart key={result.id} result={result} />}
    </>
  );
}

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SqlAnswer, ViewAnswer } from "../../../console/sql-answers.js";
import type { TabProps } from "../../app.js";
import { count, counted, duration } from "../../format.js";
import { Button } from "../../parts/button.js";
import { lazy } from "../../parts/lazy.js";
import { Empty, Failure, Spoken } from "../../parts/states.js";
import { Toggles } from "../../parts/toggles.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";
import { DownloadLinks, type FailedDownload } from "./download-links.js";
import { draftOf, keepDraft } from "./draft.js";
import { type Outcome, useQueryRun } from "./query-run.js";
import { ResultFailure } from "./result-failure.js";
import { ResultGrid } from "./result-grid.js";

const Editor = lazy(async () => (await import("./sql-editor.js")).SqlEditor);
const Chart = lazy(async () => (await import("./result-chart.js")).ResultChart);

const EXAMPLE =
  "SELECT platform, lang, count(*) AS records\nFROM records\nGROUP BY ALL\nORDER BY records DESC";

/** Queries of one's own over the views of the lake. */
export function SqlTab({ lake }: TabProps) {
  const { query, show = "table" } = place.value.params;
  const views = useResource<readonly ViewAnswer[]>("sql/views", {});
  const shown = useMemo(() => draftOf(lake.id, query) ?? query ?? EXAMPLE, [lake.id, query]);
  const text = useRef(shown);
  // The address says what was run: it is run again when the page is opened with it.
  const { outcome, again, stop } = useQueryRun(query);
  const running = outcome.state === "running";
  const [missed, setMissed] = useState<{
    readonly of: Outcome;
    readonly failed: FailedDownload | undefined;
  }>();
  useEffect(() => {
    text.current = shown;
  }, [shown]);
  const submit = () => {
    if (text.current.trim() === "") return;
    keepDraft(lake.id, text.current, text.current);
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
                keepDraft(lake.id, changed, query);
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
            <Forms
              result={outcome.result}
              show={show}
              onFailure={(failed) => setMissed({ of: outcome, failed })}
            />
          )}
        </div>
        {missed?.of === outcome && missed.failed && <ResultFailure {...missed.failed} rerun={again} />}
        {outcome.state === "failed" && <Failure failure={outcome.failure} />}
        {outcome.state === "none" && (
          <Empty title="No result yet">
            <p>Run a query. The views on the side say what there is.</p>
          </Empty>
        )}
        {outcome.state === "done" && <Result result={outcome.result} show={show} rerun={again} />}
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
function Forms(props: {
  readonly result: SqlAnswer;
  readonly show: string;
  readonly onFailure: (failed: FailedDownload | undefined) => void;
}) {
  const { result, show, onFailure } = props;
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
      <DownloadLinks id={result.id} onFailure={onFailure} />
    </div>
  );
}

/** A result in the form that is chosen. */
function Result(props: { readonly result: SqlAnswer; readonly show: string; readonly rerun: () => void }) {
  const { result, show, rerun } = props;
  return (
    <>
      {result.rows === 0 && <Empty title="The query found no row" />}
      {result.rows > 0 && show === "table" && <ResultGrid key={result.id} result={result} rerun={rerun} />}
      {result.rows > 0 && show === "chart" && <Chart key={result.id} result={result} rerun={rerun} />}
    </>
  );
}

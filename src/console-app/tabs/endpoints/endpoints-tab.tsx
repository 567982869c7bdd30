import type { EndpointAnswer, ParityAnswer } from "../../../console/answers.js";
import { count, usd } from "../../format.js";
import { Button } from "../../parts/button.js";
import { type Column, DataTable } from "../../parts/data-table.js";
import { JobFailure, JobProgress, useJob } from "../../parts/job-panel.js";
import { PlaceLink } from "../../parts/place-link.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { ROOT } from "../../root.js";
import { change, place } from "../../router.js";
import { useDraft } from "../../use-draft.js";

/** The rows of the catalogue, and how well this installation keeps them. */
export function EndpointsTab() {
  const { q = "", label = "" } = place.value.params;
  const rows = useResource<readonly EndpointAnswer[]>("endpoints", {});
  const [text, setText] = useDraft(q);
  const wanted = q.toLowerCase();
  const shown = (rows.data ?? []).filter(
    (row) =>
      (label === "" || row.label === label) &&
      [row.id, row.path, row.summary, row.group, row.scope].some((field) =>
        field.toLowerCase().includes(wanted),
      ),
  );
  return (
    <>
      <div class="row spread">
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            change({ q: text || undefined });
          }}
        >
          <label class="hidden" for="filter">
            Filter
          </label>
          <input
            id="filter"
            type="search"
            placeholder="Filter by path, platform, words"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <label class="hidden" for="label">
            Label
          </label>
          <select
            id="label"
            value={label}
            onChange={(event) => change({ label: event.currentTarget.value || undefined })}
          >
            <option value="">every label</option>
            <option>specified</option>
            <option>assumed</option>
            <option>observed</option>
          </select>
          <button type="submit">Filter</button>
        </form>
        <a class="button" href={`${ROOT}docs`}>
          API documentation
        </a>
      </div>
      {rows.failure && <Failure failure={rows.failure} again={rows.again} />}
      {!rows.data && rows.loading && <Loading what="the catalogue" />}
      {rows.data && (
        <p role="status" class="muted">
          {count(shown.length)} of {count(rows.data.length)} endpoints
        </p>
      )}
      {rows.data && shown.length === 0 && <Empty title="No endpoint fits the filter" />}
      {shown.length > 0 && (
        <DataTable
          label="Endpoints"
          className="scroll panel"
          rows={shown}
          keyOf={({ id }) => id}
          columns={COLUMNS}
        />
      )}
      <Parity />
    </>
  );
}

const COLUMNS: readonly Column<EndpointAnswer>[] = [
  {
    title: "Endpoint",
    head: true,
    className: "endpoint-cell",
    cell: ({ method, path, summary }) => (
      <>
        <code>
          {method} {path}
        </code>
        <br />
        <span class="muted">{summary}</span>
      </>
    ),
  },
  {
    title: "Price",
    number: true,
    cell: ({ price_usd, free_eligible }) => (
      <>
        {usd(price_usd)}
        {free_eligible && <div class="muted">free quota</div>}
      </>
    ),
  },
  { title: "Cap", number: true, cell: ({ cap_per_second }) => `${cap_per_second}/s` },
  {
    title: "Markers",
    cell: ({ availability, maturity }) => (
      <>
        <span class="nowrap">{availability.replace("_", " ")}</span>
        <div class="muted">{maturity}</div>
      </>
    ),
  },
  { title: "Label", cell: ({ label }) => label },
  { title: "Scope", cell: ({ scope }) => <code>{scope}</code> },
  {
    title: "Actions",
    quiet: true,
    cell: ({ id, path, platform, method }) =>
      platform !== undefined &&
      method === "GET" && (
        <PlaceLink tab="raw" params={{ id }}>
          Try<span class="hidden"> {path}</span>
        </PlaceLink>
      ),
  },
];

/** The score of the rules of the service's description, measured on request. */
function Parity() {
  const { job, failure, running, start, stop } = useJob(() => {});
  const result = job?.state === "done" ? (job.result as ParityAnswer) : undefined;
  const sum = (key: "passed" | "failed" | "notTestable") =>
    result?.rows.reduce((total, row) => total + row[key], 0) ?? 0;
  return (
    <section class="panel" aria-label="Parity">
      <h2>Parity</h2>
      <p>
        Each rule of the service's description, asked of this installation on a sample lake. It takes some
        seconds.
      </p>
      <Button off={running} onClick={() => start({ kind: "parity" })}>
        Measure parity
      </Button>
      <JobFailure failure={failure} />
      {job && <JobProgress job={job} stop={stop} />}
      {result && (
        <>
          <p>
            <strong>{sum("passed")} passed</strong>, {sum("failed")} failed, {sum("notTestable")} cannot be
            tested here.
          </p>
          <DataTable
            label="Parity by section"
            rows={result.rows}
            keyOf={({ section, label }) => `${section} ${label}`}
            columns={[
              { title: "Section", head: true, cell: ({ section }) => section },
              { title: "Label", cell: ({ label }) => label },
              { title: "Passed", number: true, cell: ({ passed }) => passed },
              { title: "Failed", number: true, cell: ({ failed }) => failed },
              { title: "Not testable", number: true, cell: ({ notTestable }) => notTestable },
            ]}
          />
        </>
      )}
    </section>
  );
}

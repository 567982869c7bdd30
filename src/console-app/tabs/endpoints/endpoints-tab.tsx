import { useEffect, useState } from "preact/hooks";
import type { EndpointAnswer } from "../../../console/answers.js";
import { count, usd } from "../../format.js";
import { JobFailure, JobProgress, useJob } from "../../parts/job-panel.js";
import { ScrollBox } from "../../parts/scroll-box.js";
import { Empty, Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { addressOf, change, navigate, place } from "../../router.js";

/** The rows of the catalogue, and how well this installation keeps them. */
export function EndpointsTab() {
  const { q = "", label = "" } = place.value.params;
  const rows = useResource<readonly EndpointAnswer[]>("endpoints", {});
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
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
        <a class="button" href="/docs">
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
      {shown.length > 0 && <EndpointTable rows={shown} />}
      <Parity />
    </>
  );
}

function EndpointTable({ rows }: { readonly rows: readonly EndpointAnswer[] }) {
  return (
    <ScrollBox label="Endpoints" className="scroll panel">
      <table>
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col" class="number">
              Price
            </th>
            <th scope="col" class="number">
              Cap
            </th>
            <th scope="col">Markers</th>
            <th scope="col">Label</th>
            <th scope="col">Scope</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" class="endpoint-cell">
                <code>
                  {row.method} {row.path}
                </code>
                <br />
                <span class="muted">{row.summary}</span>
              </th>
              <td class="number">
                {usd(row.price_usd)}
                {row.free_eligible && <div class="muted">free quota</div>}
              </td>
              <td class="number">{row.cap_per_second}/s</td>
              <td>
                <span class="nowrap">{row.availability.replace("_", " ")}</span>
                <div class="muted">{row.maturity}</div>
              </td>
              <td>{row.label}</td>
              <td>
                <code>{row.scope}</code>
              </td>
              <td>
                {row.platform !== undefined && row.method === "GET" && (
                  <a
                    href={addressOf("raw", { id: row.id })}
                    onClick={(event) => {
                      event.preventDefault();
                      navigate("raw", { id: row.id });
                    }}
                  >
                    Try<span class="hidden"> {row.path}</span>
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

interface ParityRows {
  readonly rows: readonly {
    readonly section: string;
    readonly label: string;
    readonly passed: number;
    readonly failed: number;
    readonly notTestable: number;
  }[];
}

/** The score of the rules of the service's description, measured on request. */
function Parity() {
  const { job, failure, running, start } = useJob(() => {});
  const result = job?.state === "done" ? (job.result as ParityRows) : undefined;
  const sum = (key: "passed" | "failed" | "notTestable") =>
    result?.rows.reduce((total, row) => total + row[key], 0) ?? 0;
  return (
    <section class="panel" aria-label="Parity">
      <h2>Parity</h2>
      <p>
        Each rule of the service's description, asked of this installation on a sample lake. It takes some
        seconds.
      </p>
      <button type="button" disabled={running} onClick={() => start({ kind: "parity" })}>
        Measure parity
      </button>
      <JobFailure failure={failure} />
      {job && <JobProgress job={job} />}
      {result && (
        <>
          <p>
            <strong>{sum("passed")} passed</strong>, {sum("failed")} failed, {sum("notTestable")} cannot be
            tested here.
          </p>
          <ScrollBox label="Parity by section">
            <table>
              <thead>
                <tr>
                  <th scope="col">Section</th>
                  <th scope="col">Label</th>
                  <th scope="col" class="number">
                    Passed
                  </th>
                  <th scope="col" class="number">
                    Failed
                  </th>
                  <th scope="col" class="number">
                    Not testable
                  </th>
                </tr>
              </thead>
              <tbody>
                {result.rows.map((row) => (
                  <tr key={`${row.section} ${row.label}`}>
                    <th scope="row">{row.section}</th>
                    <td>{row.label}</td>
                    <td class="number">{row.passed}</td>
                    <td class="number">{row.failed}</td>
                    <td class="number">{row.notTestable}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        </>
      )}
    </section>
  );
}

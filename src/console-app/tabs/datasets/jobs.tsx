import { useEffect, useState } from "preact/hooks";
import type { JobAnswer } from "../../../console/answers.js";
import type { TabProps } from "../../app.js";
import { bytes, counted } from "../../format.js";
import { Button } from "../../parts/button.js";
import { JobFailure, JobProgress, useJob } from "../../parts/job-panel.js";

/** Pulls and installs slices, verifies and diagnoses the lake; one at a time, with live progress. */
export function Jobs({ lake, refresh }: TabProps) {
  const { job, failure, running, start, stop, takeUp } = useJob((ended) => {
    if (ended.kind === "pull" || ended.kind === "install") refresh();
  });
  // A job goes on when its page goes away: the newest is shown again.
  useEffect(takeUp, []);
  return (
    <>
      {!lake.writable && (
        <p class="notice">The lake was opened read-only: nothing can be pulled or installed.</p>
      )}
      <div aria-live="polite">
        <JobFailure failure={failure} />
        {job && <JobProgress job={job} stop={stop} />}
        {job?.state === "done" && <JobResult job={job} />}
      </div>
      <div class="panels">
        <PullForm off={running || !lake.writable} start={start} />
        <section class="panel" aria-label="Check">
          <h2>Check the lake</h2>
          <p class="hint">
            Doctor looks for problems in seconds. Verify reads every byte and every record's hash.
          </p>
          <div class="row">
            <Button off={running} onClick={() => start({ kind: "doctor" })}>
              Doctor
            </Button>
            <Button off={running} onClick={() => start({ kind: "verify" })}>
              Verify
            </Button>
            <Button off={running} onClick={() => start({ kind: "verify", recall: true })}>
              Verify and measure recall
            </Button>
          </div>
        </section>
      </div>
    </>
  );
}

function PullForm(props: {
  readonly off: boolean;
  readonly start: (params: Readonly<Record<string, unknown>>) => void;
}) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const field = (name: string, label: string, secret = false, placeholder = "") => (
    <label class="field">
      <span>{label}</span>
      <input
        class={secret ? "secret-input" : ""}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={values[name] ?? ""}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setValues((before) => ({ ...before, [name]: value }));
        }}
      />
    </label>
  );
  const { source = "", ...rest } = values;
  return (
    <form
      class="panel"
      aria-label="Pull slices"
      onSubmit={(event) => {
        event.preventDefault();
        props.start({ kind: "pull", source, ...rest });
      }}
    >
      <h2>Pull slices</h2>
      <p class="hint">
        From a published folder, a server or an archive. The server of this console fetches them, verifies
        them and installs them.
      </p>
      {field("source", "Address or folder", false, "https://… or /path/to/slices")}
      <details>
        <summary>Key and filters</summary>
        {field("key", "API key of a server", true)}
        <div class="field-row">
          {field("platform", "Platform")}
          {field("lang", "Language")}
          {field("from", "Captured from", false, "2026-05-01")}
          {field("to", "Captured to", false, "2026-05-31")}
        </div>
      </details>
      <div class="field-row">
        <Button class="primary" type="submit" off={props.off || source.trim() === ""}>
          Pull and install
        </Button>
        <Button
          off={props.off || source.trim() === ""}
          onClick={() => props.start({ kind: "install", source })}
        >
          Install a folder of slices
        </Button>
      </div>
    </form>
  );
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly level?: string;
}

/** What a finished job found. */
/** What an install or a pull did. */
interface InstallResult {
  readonly slices: number;
  readonly bytes?: number;
  readonly refit?: { readonly ended?: string };
  readonly merge?: { readonly ended?: string };
}

function JobResult({ job }: { readonly job: JobAnswer }) {
  const result = job.result as Readonly<Record<string, unknown>>;
  if (job.kind === "doctor" || job.kind === "verify") {
    const problems = (result.findings ?? result.problems) as readonly Problem[];
    const { records, raw, slices, recall10 } = result as Readonly<Record<string, number | undefined>>;
    return (
      <section class="panel" aria-label="Findings">
        <h2>{problems.length === 0 ? "No problem found" : counted(problems.length, "finding")}</h2>
        {records !== undefined && (
          <p>
            {counted(records, "record")}, {counted(raw ?? 0, "raw item")}, {counted(slices ?? 0, "slice")}
            {recall10 !== undefined && `, certified recall@10 ${recall10.toFixed(4)}`}
          </p>
        )}
        <ul class="findings">
          {problems.map(({ code, message, remedy, level = "error" }) => (
            <li key={`${code} ${message}`}>
              <strong class={level === "error" ? "bad-text" : ""}>{level}</strong> {message}
              <br />
              <code>{remedy}</code>
            </li>
          ))}
        </ul>
      </section>
    );
  }
  if (job.kind !== "pull" && job.kind !== "install") return null;
  const { slices, bytes: fetched, refit, merge } = job.result as InstallResult;
  const late = refit?.ended ?? merge?.ended;
  return (
    <>
      <p>
        {slices === 0 ? "Nothing new: the lake has every slice." : `${counted(slices, "slice")} installed`}
        {fetched !== undefined && fetched > 0 && `, ${bytes(fetched)} over the network`}
      </p>
      {late !== undefined && (
        <p class="notice">
          {refit?.ended === undefined ? "Segments are not merged" : "The embedder is not refitted"}:{" "}
          {late === "aborted" ? "it was stopped" : "the disk does not take it"}. All is installed, and the
          next install does it.
        </p>
      )}
    </>
  );
}

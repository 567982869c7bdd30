import { useEffect, useState } from "preact/hooks";
import type { JobAnswer } from "../../console/answers.js";
import type { ApiFailure } from "../api.js";
import { send } from "../api.js";
import { bytes, count, duration } from "../format.js";
import { useOneAtATime } from "../one-at-a-time.js";
import { failureOf } from "../resource.js";
import { Failure } from "./states.js";

const POLL_MS = 400;

/** Time before a server that did not answer is asked again. */
const RETRY_MS = 2_000;

/** Watches a job until it ends, also where the server does not answer for a while: the job goes on. */
export function useJob(onEnd: (job: JobAnswer) => void) {
  const [job, setJob] = useState<JobAnswer>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [round, setRound] = useState(0);
  const starting = useOneAtATime();
  const running = job?.state === "running";
  const fail = (error: unknown) => {
    const why = failureOf(error);
    setFailure(why);
    return why;
  };
  useEffect(() => {
    if (!running || job === undefined) return;
    const timer = setTimeout(
      () => {
        send<JobAnswer>("GET", "job", { id: job.id })
          .then((next) => {
            setFailure(undefined);
            setJob(next);
            if (next.state !== "running") onEnd(next);
          })
          .catch((error: unknown) => {
            if (fail(error).status === 404) setJob(undefined);
            else setRound((n) => n + 1);
          });
      },
      failure === undefined ? POLL_MS : RETRY_MS,
    );
    return () => clearTimeout(timer);
  }, [job, round]);
  return {
    job,
    failure,
    running: running || starting.busy,
    start: (params: Readonly<Record<string, unknown>>) =>
      starting.run(() => {
        setFailure(undefined);
        return send<JobAnswer>("POST", "jobs/start", params).then(setJob).catch(fail);
      }),
    stop: () => {
      if (job !== undefined) send("POST", "jobs/stop", { id: job.id }).catch(fail);
    },
    /** Watches the newest job, which another page may have started. */
    takeUp: () => {
      send<readonly JobAnswer[]>("GET", "jobs")
        .then(([newest]) => newest && setJob(newest))
        .catch(fail);
    },
  };
}

/** How far a job is, or how it ended. */
export function JobProgress({ job, stop }: { readonly job: JobAnswer; readonly stop: () => void }) {
  const amount = (value: number) => (job.unit === "bytes" ? bytes(value) : count(value));
  if (job.state === "running")
    return (
      <div class="job">
        <p>
          <strong>{job.title}</strong> <span class="muted">{job.step}</span>{" "}
          {job.total > 0 && `${amount(job.done)} of ${amount(job.total)}`} · {duration(job.ms)}
        </p>
        {job.total > 0 ? (
          <progress max={job.total} value={job.done} aria-label={job.title} />
        ) : (
          <progress aria-label={job.title} />
        )}
        <button type="button" onClick={stop}>
          Stop
        </button>
      </div>
    );
  const { error } = job;
  if (error !== undefined)
    return (
      <div class="notice bad" role="alert">
        <p>
          <strong>{job.state === "stopped" ? `${job.title}: stopped` : error.message}</strong>{" "}
          <code>{error.code}</code>
        </p>
        {job.state !== "stopped" && error.remedy !== "" && <p>{error.remedy}</p>}
      </div>
    );
  return (
    <p class="notice good" role="status">
      {job.title}: done in {duration(job.ms)}.
    </p>
  );
}

/** A failure to start or to watch a job. */
export function JobFailure({ failure }: { readonly failure: ApiFailure | undefined }) {
  return failure === undefined ? null : <Failure failure={failure} />;
}

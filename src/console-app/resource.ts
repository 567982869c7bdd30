import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, send } from "./api.js";
import { sessionProblem } from "./session.js";

/** What a view asked for: it comes, it is there, or it failed. What was there before stays until the next has come. */
export interface Resource<T> {
  readonly data: T | undefined;
  /** `data` where it answers what is asked now: undefined while there is but the answer to what was asked before. */
  readonly current: T | undefined;
  readonly failure: ApiFailure | undefined;
  readonly loading: boolean;
  /** Asks again. */
  readonly again: () => void;
}

/** Asks the console's API, again whenever the parameters change; with `params` undefined not at all. */
export function useResource<T>(
  path: string,
  params: Readonly<Record<string, string | number | undefined>> | undefined,
): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, "again" | "current">>({
    data: undefined,
    failure: undefined,
    loading: params !== undefined,
  });
  const [round, setRound] = useState(0);
  const answered = useRef<string>(undefined);
  const key = params === undefined ? undefined : JSON.stringify(params);
  useEffect(() => {
    if (key === undefined) {
      setState({ data: undefined, failure: undefined, loading: false });
      return;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    send<T>("GET", path, JSON.parse(key) as Record<string, unknown>, stop.signal)
      .then((data) => {
        answered.current = key;
        setState({ data, failure: undefined, loading: false });
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        // What was there for the same question is still the best that there is.
        const failure = failureOf(error);
        setState(({ data }) => ({
          data: answered.current === key ? data : undefined,
          failure,
          loading: false,
        }));
      });
    return () => stop.abort();
  }, [path, key, round]);
  const current = answered.current === key ? state.data : undefined;
  return { ...state, current, again: () => setRound((before) => before + 1) };
}

/** An error as a failure to be shown. One of a missing session is shown by the page instead of its content. */
export function failureOf(error: unknown): ApiFailure {
  const failure =
    error instanceof ApiFailure
      ? error
      : new ApiFailure(0, "failed", error instanceof Error ? error.message : String(error), "");
  if (failure.status === 401) sessionProblem.value = failure.message;
  return failure;
}

import { useEffect, useRef, useState } from "preact/hooks";
import type { SqlAnswer } from "../../../console/sql-answers.js";
import { type ApiFailure, send } from "../../api.js";
import { failureOf } from "../../resource.js";

/** What came of a query. */
export type Outcome =
  | { readonly state: "none" | "running" | "stopped" }
  | { readonly state: "done"; readonly result: SqlAnswer }
  | { readonly state: "failed"; readonly failure: ApiFailure };

/** The run of the query that the address names. */
export interface QueryRun {
  readonly outcome: Outcome;
  /** Runs the query again. */
  readonly again: () => void;
  readonly stop: () => void;
}

/** Runs a query, and another one when it changes: the one before ends then, and its result is never taken for the new one's. */
export function useQueryRun(query: string | undefined): QueryRun {
  const [of, setOf] = useState<{ readonly query: string | undefined; readonly outcome: Outcome }>();
  const [round, setRound] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    if (query === undefined) return;
    const stop = new AbortController();
    running.current = stop;
    const end = (outcome: Outcome) => {
      if (!stop.signal.aborted) setOf({ query, outcome });
    };
    end({ state: "running" });
    send<SqlAnswer>("POST", "sql", { text: query }, stop.signal).then(
      (result) => end({ state: "done", result }),
      (error: unknown) => {
        if (!stop.signal.aborted) end({ state: "failed", failure: failureOf(error) });
      },
    );
    return () => stop.abort();
  }, [query, round]);
  const before: Outcome = { state: query === undefined ? "none" : "running" };
  return {
    outcome: query !== undefined && of?.query === query ? of.outcome : before,
    again: () => setRound((last) => last + 1),
    stop: () => {
      running.current?.abort();
      setOf({ query, outcome: { state: "stopped" } });
    },
  };
}

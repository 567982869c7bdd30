import { useEffect, useRef, useState } from "preact/hooks";
import type { CellAnswer, SqlAnswer, SqlPageAnswer } from "../../../console/sql-answers.js";
import { type ApiFailure, send } from "../../api.js";
import { failureOf } from "../../resource.js";

/** Rows of a page of the server. */
const PAGE = 200;

/** Pages that are kept; of those that are not seen the oldest go first. */
const PAGES = 20;

type Rows = readonly (readonly CellAnswer[])[];

/** Rows of a result that the server keeps. */
export interface ResultRows {
  /** A row; undefined before it has come. */
  readonly at: (index: number) => readonly CellAnswer[] | undefined;
  /** Why the last page did not come. */
  readonly failure: ApiFailure | undefined;
  /** Asks again for what did not come. */
  readonly again: () => void;
}

/** The rows of a result, of which pages come when they are seen, and go when there are many. */
export function useResultRows({ id, page }: SqlAnswer, first: number, last: number): ResultRows {
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const [failure, setFailure] = useState<ApiFailure>();
  const pages = useRef(new Map<number, Rows | undefined>([[0, page.rows]]));
  const seen = [Math.floor(first / PAGE), Math.floor(last / PAGE)] as const;
  const wanted = useRef(seen);
  wanted.current = seen;
  useEffect(() => {
    const come = (at: number, rows: Rows) => {
      pages.current.set(at, rows);
      const [from, to] = wanted.current;
      for (const old of pages.current.keys()) {
        if (pages.current.size <= PAGES) break;
        if (old < from || old > to) pages.current.delete(old);
      }
      setFailure(undefined);
      redraw((n) => n + 1);
    };
    for (let at = seen[0]; at <= seen[1]; at++) {
      if (pages.current.has(at)) continue;
      pages.current.set(at, undefined);
      send<SqlPageAnswer>("GET", "sql/page", { id, offset: at * PAGE, limit: PAGE })
        .then(({ rows }) => come(at, rows))
        .catch((error: unknown) => {
          pages.current.delete(at);
          setFailure(failureOf(error));
        });
    }
  }, [id, ...seen, round]);
  return {
    at: (index) => pages.current.get(Math.floor(index / PAGE))?.[index % PAGE],
    failure,
    again: () => setRound((n) => n + 1),
  };
}

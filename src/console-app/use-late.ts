import { useEffect, useState } from "preact/hooks";

/** Time in which an answer is fast, ms. */
const FAST = 300;

/** Whether something has gone on for longer than a fast answer takes, so that only slow ones are spoken of. */
export function useLate(goesOn: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!goesOn) return setLate(false);
    const timer = setTimeout(() => setLate(true), FAST);
    return () => clearTimeout(timer);
  }, [goesOn]);
  return goesOn && late;
}

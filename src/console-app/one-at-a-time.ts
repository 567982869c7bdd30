import { useRef, useState } from "preact/hooks";

/** Work with an effect, of which one runs at a time. */
export interface OneAtATime {
  /** Whether it runs, so that its buttons are disabled. */
  readonly busy: boolean;
  /** Starts the work, unless some runs: the second click of a double click comes before a button is disabled. */
  readonly run: (work: () => Promise<unknown>) => void;
}

/** Lets a view start work once, however often its button is pressed meanwhile. The work answers for its failures. */
export function useOneAtATime(): OneAtATime {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    void work().finally(() => {
      running.current = false;
      setBusy(false);
    });
  };
  return { busy, run };
}

/** Ignores the second click of a double click on a button, even where the answer to the first came between the two. */
export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

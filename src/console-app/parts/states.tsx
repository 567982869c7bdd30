import type { ComponentChildren } from "preact";
import type { ApiFailure } from "../api.js";

/** Shows that something comes; only after a moment, so that fast answers do not flicker. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what} …
    </p>
  );
}

/**
 * Speaks of what comes and what has come. It is there before either is: screen readers pass over what appears with its words in it.
 */
export function Spoken({
  what,
  children,
}: {
  readonly what?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  return (
    <div role="status">
      {what !== undefined && (
        <p class="loading">
          <span class="spinner" aria-hidden="true" /> Loading {what} …
        </p>
      )}
      {children}
    </div>
  );
}

/** Shows what failed, what to do about it, and asks again. */
export function Failure(props: {
  readonly failure: ApiFailure;
  readonly again?: (() => void) | undefined;
  /** What the button that asks again says. */
  readonly action?: string;
}) {
  const { failure, again, action = "Try again" } = props;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong class={failure.message.includes("\n") ? "lines" : ""}>{failure.message}</strong>{" "}
        <code>{failure.code}</code>
      </p>
      {failure.remedy !== "" && <p>{failure.remedy}</p>}
      {again && (
        <button type="button" onClick={again}>
          {action}
        </button>
      )}
    </div>
  );
}

/** Shows that there is nothing, and what would bring something. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

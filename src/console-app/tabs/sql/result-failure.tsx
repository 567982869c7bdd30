import type { ApiFailure } from "../../api.js";
import { Failure } from "../../parts/states.js";

/** Shows why a part of a result did not come. One that the server no longer keeps is made again by its query, not by asking for the part. */
export function ResultFailure(props: {
  readonly failure: ApiFailure;
  /** Asks for the part again. */
  readonly again: () => void;
  /** Runs the query again. */
  readonly rerun: () => void;
}) {
  const { failure, again, rerun } = props;
  const isGone = failure.code === "console_result_gone";
  return (
    <Failure
      failure={failure}
      again={isGone ? rerun : again}
      action={isGone ? "Run the query again" : "Try again"}
    />
  );
}

import type { CliContext } from "../context.js";
import { reportError } from "../report-error.js";

/**
 * Ends a JSON object that stands in part in standard output with the member `error`, so that what a command with `--json` prints is one
 * value also where it fails late.
 * @param end what closes the part that is open; the object's next member follows
 * @returns the exit code
 */
export function endWithError(error: unknown, end: string, context: CliContext): number {
  let said = "";
  const out = {
    ...context.out,
    data: (text: string) => {
      said += text;
    },
  };
  const code = reportError(error, { ...context, out }, true);
  context.out.data(`${end},${said.slice(1)}`);
  return code;
}

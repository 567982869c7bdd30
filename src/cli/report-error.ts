import { CommanderError } from "commander";
import { ApiError, asSentence, MirrorlakeError, UsageError } from "../contract/errors.js";
import { unlessLacking } from "../contract/lacking.js";
import { terminalLine, terminalText } from "../contract/terminal-text.js";
import { type CliContext, Interruption, printJson } from "./context.js";
import { EXIT } from "./defaults.js";

/**
 * Prints an error once and returns the exit code. With `json` it prints one object on standard output: the service's error envelope
 * for an `ApiError` (service.md section 2.2), else `{ error: { code, message, remedy } }`. An invalid option value is a usage error,
 * whether the command line or the service rejects it.
 */
export function reportError(thrown: unknown, context: CliContext, json: boolean): number {
  const error = unlessLacking(thrown);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    if (json) {
      const message = error.message.replace(/^error: /, "");
      printJson(context, { error: { code: "usage", message, remedy: "see --help" } });
    }
    return EXIT.usage;
  }
  const { aborted, reason } = context.signal;
  if (aborted) {
    if (json)
      printJson(context, { error: { code: "interrupted", message: "Interrupted", remedy: "run it again" } });
    else context.err.write("Interrupted.\n");
    return reason instanceof Interruption ? reason.exitCode : EXIT.interrupted;
  }
  if (error instanceof ApiError) {
    if (error.hint !== undefined) context.err.write(`Hint: ${terminalLine(error.hint)}\n`);
    if (json) {
      printJson(context, {
        error: { code: error.code, message: error.message, request_id: error.requestId },
      });
    } else {
      const wait = error.retryAfterS === undefined ? "" : ` Retry after ${error.retryAfterS} s.`;
      const said = `Error ${error.status} ${error.code}: ${asSentence(error.message)}${wait}`;
      context.err.write(`${terminalLine(said)}\n  ${error.remedy}\n`);
    }
    return error.code === "invalid_params" ? EXIT.usage : EXIT.error;
  }
  if (error instanceof MirrorlakeError) {
    if (json) {
      printJson(context, { error: { code: error.code, message: error.message, remedy: error.remedy } });
    } else {
      context.err.write(`Error ${error.code}: ${indented(error.message)}\n  ${terminalLine(error.remedy)}\n`);
    }
    return error instanceof UsageError ? EXIT.usage : EXIT.error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    printJson(context, {
      error: { code: "internal", message, remedy: "report it with MIRRORLAKE_DEBUG=1 output" },
    });
  } else {
    context.err.write(`Error: ${indented(message)}\n`);
  }
  if (context.env.MIRRORLAKE_DEBUG && error instanceof Error) context.err.write(`${error.stack}\n`);
  return EXIT.error;
}

/** A message whose further lines cannot be taken for others of the program. */
function indented(message: string): string {
  return terminalText(message).replaceAll("\n", "\n    ");
}

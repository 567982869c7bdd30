import { unlessLacking } from "../../contract/lacking.js";
import { shellWord } from "../../contract/shell-word.js";

/** A problem of a lake. */
export interface Problem {
  /** Stable code. */
  readonly code: string;
  readonly message: string;
  /** The file, slice or id at fault. */
  readonly value?: unknown;
  /** Remedy: a command where one repairs it. */
  readonly remedy: string;
}

/** Converts an error into a problem. */
export function problemOf(error: unknown, remedy: string): Problem {
  const { code, message, value, remedy: own } = unlessLacking(error) as Partial<Problem> & Error;
  return {
    code: typeof code === "string" ? code.toLowerCase() : "unexpected",
    message,
    value,
    remedy: own ?? remedy,
  };
}

/** The command that rebuilds a lake's generation from its slices. */
export function rebuildCommand(lake: string): string {
  return `mirrorlake install ${shellWord(`${lake}/slices`)} --lake ${shellWord(lake)} --rebuild`;
}

import { escapedJson } from "../contract/whole-json.js";
import { EXIT } from "./defaults.js";

/** The reader of an output is gone: what has no other end than the output may stop. The command ends with the code that is due. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** A signal of the system asked the command to end: the reason of {@link CliContext.signal}. */
export class Interruption extends Error {
  override readonly name = "Interruption";

  constructor(
    /** Ctrl-C, or what ends a process in order. */
    readonly by: "SIGINT" | "SIGTERM",
  ) {
    super(`Interrupted by ${by}`);
  }

  /** The exit code that says so. */
  get exitCode(): number {
    return this.by === "SIGTERM" ? EXIT.terminated : EXIT.interrupted;
  }
}

/** A stream of the process that the command line writes to. */
export interface OutputStream {
  /** Writes text as it is. */
  write(text: string): void;
  /**
   * Resolves when the stream takes more; absent where it always does. Rejects with {@link OutputClosed} when its reader is gone, with an
   * `AbortError` when the signal is aborted.
   */
  drained?(signal: AbortSignal): Promise<void>;
  /**
   * Writes text as it is, and resolves when the system has it. Rejects where it cannot be written, which then does not end the process.
   * Absent where what is written always arrives.
   */
  deliver?(text: string): Promise<void>;
  readonly isTty: boolean;
  /** Width of the terminal in cells; a fixed default without a terminal. */
  readonly columns: number;
  /** Whether ANSI colours may be written: on a terminal, unless `FORCE_COLOR` or `NO_COLOR` decides otherwise. */
  readonly color: boolean;
}

/** An output of the command line. */
export interface Output extends OutputStream {
  /** Writes text for people. Characters that steer a terminal are shown as escapes, but for line feeds and tabs. */
  write(text: string): void;
  /** Writes data for programs as it is; on a terminal like {@link Output.write}. */
  data(text: string): void;
  drained(signal: AbortSignal): Promise<void>;
  /** {@link Output.data} of what exists in this output alone. @throws DiskError `disk_full`, `not_writable` */
  deliver(text: string): Promise<void>;
  /** Clears the current line of a terminal and writes another; an empty one leaves it clear. */
  redraw(line: string): void;
  /** Begins a style in text to write. */
  readonly styleMark: string;
}

/** The parts of the process that a command may use. They are injected, so tests run commands in-process. */
export interface CliContext {
  /** Answers: tables, `--json`, generated text. */
  readonly out: Output;
  /** Progress, warnings, errors. */
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory that relative paths are resolved from. */
  readonly cwd: string;
  /** Standard input; absent where there is none. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Aborted on Ctrl-C and SIGTERM, with an {@link Interruption}; pass it to all long work. */
  readonly signal: AbortSignal;
  /** Makes the command end with exit code 1, or the given one. Call it after printing the result of a failed check. */
  fail(code?: number): void;
}

/** Prints one JSON value and a line end, for `--json`. Typed arrays become arrays of numbers, bigints numbers of all their digits. */
export function printJson(context: CliContext, value: unknown): void {
  context.out.data(`${escapedJson(value)}\n`);
}

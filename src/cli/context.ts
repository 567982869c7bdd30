/** One of the two output streams of the command line. */
export interface Output {
  write(text: string): void;
  readonly isTty: boolean;
  /** Width of the terminal in cells; a fixed default where there is none. */
  readonly columns: number;
  /** Whether ANSI colours may be written (a terminal; `FORCE_COLOR` and `NO_COLOR` overrule that). */
  readonly color: boolean;
}

/** What a command may touch of the process around it, injected so that tests drive commands in-process. */
export interface CliContext {
  /** Answers: tables, `--json`, generated text. */
  readonly out: Output;
  /** Progress, warnings, errors. */
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory that relative paths are resolved from. */
  readonly cwd: string;
  /** Aborted on Ctrl-C and SIGTERM; long work must take it. */
  readonly signal: AbortSignal;
  /** Says that the answer, already printed, is bad news (a failed check): the command ends with exit code 1. */
  fail(): void;
}

/** Prints one JSON value and a line end: what every command does with `--json`. Typed arrays become arrays of numbers. */
export function printJson(context: CliContext, value: unknown): void {
  context.out.write(
    `${JSON.stringify(value, (_key, item: unknown) => {
      if (ArrayBuffer.isView(item) && !(item instanceof DataView)) return Array.from(item as Float32Array);
      return typeof item === "bigint" ? Number(item) : item;
    })}\n`,
  );
}

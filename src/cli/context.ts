/** An output stream of the command line. */
export interface Output {
  write(text: string): void;
  readonly isTty: boolean;
  /** Width of the terminal in cells; a fixed default without a terminal. */
  readonly columns: number;
  /** Whether ANSI colours may be written: on a terminal, unless `FORCE_COLOR` or `NO_COLOR` decides otherwise. */
  readonly color: boolean;
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
  /** Aborted on Ctrl-C and SIGTERM; pass it to all long work. */
  readonly signal: AbortSignal;
  /** Makes the command end with exit code 1. Call it after printing the result of a failed check. */
  fail(): void;
}

/** Prints one JSON value and a line end, for `--json`. Typed arrays become arrays of numbers, bigints become numbers. */
export function printJson(context: CliContext, value: unknown): void {
  context.out.write(
    `${JSON.stringify(value, (_key, item: unknown) => {
      if (ArrayBuffer.isView(item) && !(item instanceof DataView)) return Array.from(item as Float32Array);
      return typeof item === "bigint" ? Number(item) : item;
    })}\n`,
  );
}

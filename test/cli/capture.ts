import type { CliContext } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";

/** What a command line wrote and how it ended. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function capture(
  args: readonly string[],
  options: Partial<Pick<CliContext, "env" | "cwd" | "signal" | "stdin">> & {
    columns?: number;
    isTty?: boolean;
  } = {},
): Promise<Run> {
  let out = "";
  let err = "";
  const { columns = 120, isTty = false, ...rest } = options;
  const stream = (write: (text: string) => void) => ({ write, isTty, columns, color: false });
  const code = await runCli(args, {
    out: stream((text) => {
      out += text;
    }),
    err: stream((text) => {
      err += text;
    }),
    env: {},
    cwd: process.cwd(),
    signal: new AbortController().signal,
    ...rest,
  });
  return { code, out, err };
}

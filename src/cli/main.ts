#!/usr/bin/env node
import type { CliContext, Output } from "./context.js";
import { DEFAULT_COLUMNS, EXIT } from "./defaults.js";
import { runCli } from "./program.js";

function output(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTty: stream.isTTY === true,
    columns: stream.columns || DEFAULT_COLUMNS,
    color: stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
  };
}

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
    interrupt.abort(new Error(`Interrupted by ${signal}`));
  });
}
// A reader that closes early (`mirrorlake … | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});

const context: Omit<CliContext, "fail"> = {
  out: output(process.stdout, process.env),
  err: output(process.stderr, process.env),
  env: process.env,
  cwd: process.cwd(),
  signal: interrupt.signal,
};
process.exitCode = await runCli(process.argv.slice(2), context);

#!/usr/bin/env node
import { EXIT, EXIT_MS } from "./defaults.js";
import { createOutput } from "./format/terminal-output.js";
import { type CliProcess, runCli } from "./program.js";

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

const context: CliProcess = {
  out: createOutput(process.stdout, process.env),
  err: createOutput(process.stderr, process.env),
  env: process.env,
  stdin: process.stdin,
  cwd: process.cwd(),
  signal: interrupt.signal,
};
process.exitCode = await runCli(process.argv.slice(2), context);
// What was given up may still hold a connection open.
if (interrupt.signal.aborted) setTimeout(() => process.exit(), EXIT_MS).unref();

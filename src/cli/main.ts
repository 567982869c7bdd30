#!/usr/bin/env node

import { fstatSync } from "node:fs";
import { setTimeout } from "node:timers";
import { Interruption } from "./context.js";
import { EXIT, EXIT_MS } from "./defaults.js";
import { type ClosableOutput, createOutput, outputFailure } from "./format/terminal-output.js";
import { type CliProcess, runCli } from "./program.js";

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    const interruption = new Interruption(signal);
    if (interrupt.signal.aborted) process.exit(interruption.exitCode);
    interrupt.abort(interruption);
  });
}
const out = createOutput(process.stdout, process.env);
const err = createOutput(process.stderr, process.env);
process.stdout.on("error", (error: NodeJS.ErrnoException) => unwritable(out, error, describeOutput(error)));
// Nothing is left to say it with.
process.stderr.on("error", (error: NodeJS.ErrnoException) => unwritable(err, error, ""));

const context: CliProcess = {
  out,
  err,
  env: process.env,
  stdin: standardInput(),
  cwd: process.cwd(),
  signal: interrupt.signal,
};
process.exitCode = await runCli(process.argv.slice(2), context);
// What was given up may still hold a connection open.
if (interrupt.signal.aborted) setTimeout(() => process.exit(), EXIT_MS).unref();

/**
 * Ends the process whose output cannot be written. A reader that closes early (`mirrorlake … | head`) is not an error: the command goes
 * on without it, and has its own exit code. Who delivers what is in the output alone learns of it there, and has something to undo.
 */
function unwritable(output: ClosableOutput, { code }: NodeJS.ErrnoException, text: string): void {
  if (output.isDelivering()) return;
  if (code === "EPIPE") {
    output.close();
    return;
  }
  process.stderr.write(text);
  process.exit(EXIT.error);
}

function describeOutput(error: NodeJS.ErrnoException): string {
  const { code, message, remedy } = outputFailure(error);
  return `Error ${code}: ${message}\n  ${remedy}, then run it again\n`;
}

/** Standard input of this process. A folder in its place, which Node.js gives as an empty stream, throws when it is read. */
function standardInput(): AsyncIterable<Uint8Array> {
  const { stdin } = process;
  return !stdin.isTTY && fstatSync(stdin.fd ?? 0).isDirectory() ? folder() : stdin;
}

function folder(): AsyncIterable<Uint8Array> {
  const next = () =>
    Promise.reject(new Error("standard input is a folder; name the folder itself as the input"));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

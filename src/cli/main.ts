#!/usr/bin/env node

import { fstatSync } from "node:fs";
import { setTimeout } from "node:timers";
import { getSystemErrorMap } from "node:util";
import { Interruption } from "./context.js";
import { EXIT, EXIT_MS } from "./defaults.js";
import { type ClosableOutput, createOutput } from "./format/terminal-output.js";
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
 * on without it, and has its own exit code.
 */
function unwritable(output: ClosableOutput, { code }: NodeJS.ErrnoException, text: string): void {
  if (code === "EPIPE") {
    output.close();
    return;
  }
  process.stderr.write(text);
  process.exit(EXIT.error);
}

/** What is wrong with standard output, and the remedy: the codes of a file that cannot be written. */
function describeOutput({ code, errno, message }: NodeJS.ErrnoException): string {
  const [name, remedy] =
    code === "ENOSPC" || code === "EDQUOT"
      ? ["disk_full", "free some space or send the output elsewhere"]
      : ["not_writable", "send the output to a file or a program that takes it"];
  const reason = getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
  return `Error ${name}: Standard output cannot be written: ${reason}\n  ${remedy}, then run it again\n`;
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

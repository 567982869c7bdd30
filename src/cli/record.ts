import { once } from "node:events";
import { resolve } from "node:path";
import type { Command } from "commander";
import { counted } from "../contract/quantity.js";
import { type CliContext, printJson } from "./context.js";
import { examples, jsonOption, list, wholeNumber } from "./options.js";

const DAY_MS = 86_400_000;

interface RecordCommandOptions {
  readonly remote: string;
  readonly out: string;
  readonly host?: string;
  readonly port: number;
  readonly redact?: string[];
  readonly maxAge?: number;
  readonly json?: boolean;
}

/** Registers `record`: a proxy that records what passes. */
export function registerRecord(program: Command, context: CliContext): void {
  const command = program
    .command("record")
    .description(
      "Record the calls of a program to a remote service into a cassette, as a proxy, until Ctrl-C.",
    )
    .requiredOption("--remote <url>", "base URL of the service, everything before /v1")
    .requiredOption("--out <file>", "the cassette, JSON Lines; calls are appended to one that exists")
    .option("--host <address>", "address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <n>", "port to listen on; 0 for any free port", wholeNumber(0, 65_535), 8081)
    .option("--redact <fields>", "members to take out beside keys, such as uid_hash,nickname", list)
    .option("--max-age <days>", "days after which the recordings count as expired", wholeNumber(0, 36_500));
  jsonOption(command);
  examples(command, [
    "record --remote https://api.example.com --out calls.jsonl",
    "record --remote https://api.example.com --out calls.jsonl --redact uid_hash,nickname --max-age 30",
    "replay calls.jsonl                # then, without the remote",
  ]);
  command.action((options: RecordCommandOptions) => record(options, context));
}

async function record(options: RecordCommandOptions, context: CliContext): Promise<void> {
  const { recordFetch } = await import("../cassette/record-fetch.js");
  const { forwardTo } = await import("../cassette/forward-to.js");
  const { startFetchServer } = await import("../http/fetch-server.js");
  const { checkOutput } = await import("../files/replace-output.js");
  const forward = forwardTo(options.remote, (...request) => recording(...request));
  const recording = await recordFetch({
    cassette: await checkOutput(resolve(context.cwd, options.out)),
    redact: { fields: options.redact },
    maxAgeMs: options.maxAge === undefined ? undefined : options.maxAge * DAY_MS,
  });
  try {
    const server = await startFetchServer(forward, {
      host: options.host,
      port: options.port,
      onError: (error) => context.err.write(`${(error as Error).message}\n`),
    });
    try {
      if (options.json) printJson(context, { url: server.url });
      else {
        context.out.write(`${server.url} passes calls on to ${options.remote}, with their own keys.\n`);
        context.out.write("Ctrl-C ends the recording.\n");
      }
      if (!context.signal.aborted) await once(context.signal, "abort");
    } finally {
      await server.close();
    }
  } finally {
    await recording.close();
  }
  context.err.write(`${counted(recording.count, "call")} recorded in ${options.out}\n`);
}

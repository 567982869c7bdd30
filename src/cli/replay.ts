import { once } from "node:events";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { FetchFunction } from "../cassette/record-fetch.js";
import { type CliContext, printJson } from "./context.js";
import { withLake } from "./lake-option.js";
import { examples, jsonOption, list, wholeNumber } from "./options.js";

interface ReplayCommandOptions {
  readonly lake?: string;
  readonly host?: string;
  readonly port: number;
  readonly expired: "refuse" | "serve" | "miss";
  readonly redact?: string[];
  readonly json?: boolean;
}

/** Registers `replay`: the answers of a cassette over HTTP. */
export function registerReplay(program: Command, context: CliContext): void {
  const command = program
    .command("replay")
    .description("Answer recorded calls over HTTP, until Ctrl-C; a lake may answer what was not recorded.")
    .argument("<cassette>", "a file that `mirrorlake record` or recordFetch wrote")
    .option("--lake <dir>", "lake that answers what was not recorded; without it a miss is a 501")
    .option("--host <address>", "address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <n>", "port to listen on; 0 for any free port", wholeNumber(0, 65_535), 8082)
    .addOption(
      new Option("--expired <how>", "what to do with expired recordings")
        .choices(["refuse", "serve", "miss"])
        .default("refuse"),
    )
    .option("--redact <fields>", "members that were taken out when it was recorded", list);
  jsonOption(command);
  examples(command, ["replay calls.jsonl", "replay calls.jsonl --lake .mirrorlake/demo --port 0 --json"]);
  command.action(async (cassette: string, options: ReplayCommandOptions) => {
    const path = resolve(context.cwd, cassette);
    if (options.lake === undefined) return replay(path, options, context);
    return withLake(options, context, (lake) => replay(path, options, context, lake.fetch, lake.apiKey));
  });
}

async function replay(
  cassette: string,
  options: ReplayCommandOptions,
  context: CliContext,
  otherwise?: FetchFunction,
  apiKey?: string,
): Promise<void> {
  const { replayFetch } = await import("../cassette/replay-fetch.js");
  const { startFetchServer } = await import("../http/fetch-server.js");
  const { expired, redact, host, port } = options;
  const answer = await replayFetch({ cassette, otherwise, expired, redact: { fields: redact } });
  const server = await startFetchServer(answer, { host, port });
  try {
    if (options.json) printJson(context, { url: server.url, apiKey });
    else {
      context.out.write(`${server.url} answers what was recorded, with any key.\n`);
      if (apiKey !== undefined) context.out.write(`The lake answers the rest for ${apiKey}\n`);
      context.out.write("Ctrl-C stops it.\n");
    }
    if (!context.signal.aborted) await once(context.signal, "abort");
  } finally {
    await server.close();
  }
}

import { once } from "node:events";
import type { Command } from "commander";
import type { LakeClient } from "../client/open-lake.js";
import type { CorsOrigins } from "../http/cors.js";
import type { RunningServer } from "../http/server.js";
import { type CliContext, printJson } from "./context.js";
import { style } from "./format/terminal-style.js";
import { type LakeOptions, withLake } from "./lake-option.js";
import {
  asOfOption,
  examples,
  jsonOption,
  lakeOption,
  list,
  readOnlyOption,
  wholeNumber,
} from "./options.js";

interface ServeOptions extends LakeOptions {
  readonly host?: string;
  readonly port: number;
  readonly allowHost?: string[];
  readonly cors?: string[];
  readonly refresh: number;
  readonly limits: boolean;
}

/** Registers `serve`: the service over HTTP, until Ctrl-C. */
export function registerServe(program: Command, context: CliContext): void {
  const command = program
    .command("serve")
    .description("Serve a lake over HTTP like the remote service, with the files of its slices for `pull`.")
    .option("--host <address>", "address to listen on (default: 127.0.0.1, this machine only)")
    .option("--port <n>", "port to listen on; 0 for any free port", wholeNumber(0, 65_535), 8080)
    .option("--allow-host <names>", "further host names that clients may use; repeat or use commas", list)
    .option("--cors <origins>", "origins whose pages may call the server, or *; repeat or use commas", list)
    .option(
      "--refresh <seconds>",
      "interval of checks for newly installed slices; 0 for never",
      wholeNumber(0, 86_400),
      10,
    )
    .option("--no-limits", "do not enforce the account's rate limit and the endpoints' caps");
  asOfOption(readOnlyOption(lakeOption(jsonOption(command))));
  examples(command, [
    "serve --lake .mirrorlake/demo --port 8080",
    'serve --json                      # one line: {"url":…,"apiKey":…}',
    "pull http://127.0.0.1:8080 --key ml_… --lake ./copy   # its slices, elsewhere",
    "serve --cors http://localhost:5173 --no-limits",
  ]);
  command.action((options: ServeOptions) =>
    withLake(options, context, (lake) => serve(lake, options, context), options.limits ? "on" : "off"),
  );
}

async function serve(lake: LakeClient, options: ServeOptions, context: CliContext): Promise<void> {
  const { startServer } = await import("../http/server.js");
  const { sliceFiles } = await import("../http/slice-files.js");
  const { host, port, allowHost, cors } = options;
  const server = await startServer(lake.service, {
    port,
    files: sliceFiles(lake),
    host,
    allowedHosts: allowHost,
    cors: cors === undefined ? undefined : toOrigins(cors),
    onError: (error) => context.err.write(`${describe(error)}\n`),
  });
  const stopRefreshing = refreshEvery(options.refresh, lake, context);
  try {
    announce(server, lake, options, context);
    if (!context.signal.aborted) await once(context.signal, "abort");
  } finally {
    stopRefreshing();
    await server.close();
  }
}

/** Refreshes the lake every `seconds`, to serve new generations. A failure is printed and retried at the next interval. */
function refreshEvery(seconds: number, lake: LakeClient, context: CliContext): () => void {
  if (seconds === 0) return () => {};
  const timer = setInterval(() => {
    lake.refresh().catch((error: unknown) => context.err.write(`${describe(error)}\n`));
  }, seconds * 1000);
  return () => clearInterval(timer);
}

function announce(
  { url }: RunningServer,
  { apiKey }: LakeClient,
  { json }: ServeOptions,
  context: CliContext,
): void {
  if (json) {
    printJson(context, { url, apiKey });
    return;
  }
  const { out } = context;
  out.write(`${style(out, "bold", url)}\n`);
  out.write(`API key ${apiKey}   (all scopes, valid until this server stops)\n\n`);
  out.write(`curl ${url}/v1/search -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' \\\n`);
  out.write(`  -d '{"query": "wireless mouse", "format": "records", "freshness": "90d"}'\n\n`);
  out.write(style(out, "dim", "Ctrl-C stops it after the running calls are answered.\n"));
}

function toOrigins(origins: readonly string[]): CorsOrigins {
  return origins.includes("*") ? "*" : origins;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { LakeClient } from "../client/open-lake.js";
import type { Console } from "../console/console.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import type { FaultPlanInput } from "../faults/fault-plan.js";
import { allowedOrigins, originProblem } from "../http/allowed-origins.js";
import { hostProblem } from "../http/host-check.js";
import type { McpEndpoint } from "../mcp/http-endpoint.js";
import type { Embedder } from "../search/embed/embedder.js";
import type { Service } from "../service/pipeline.js";
import { announce } from "./announce-server.js";
import type { CliContext } from "./context.js";
import { SERVE_DEFAULTS } from "./defaults.js";
import { embedderOf, embedderOption } from "./lake/embedder-option.js";
import { type LakeOptions, openLakeOf } from "./lake-option.js";
import { Operations, type OperationsOptions } from "./operations.js";
import {
  accountAddress,
  accountOption,
  asOfOption,
  clickHouseLake,
  examples,
  jsonOption,
  lakeOption,
  lakePath,
  listOf,
  readOnlyOption,
  wholeNumber,
} from "./options.js";
import { refreshEvery } from "./refresh-every.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

interface ServeOptions extends LakeOptions, OperationsOptions {
  readonly host?: string;
  readonly port: number;
  readonly allowHost?: string[];
  readonly cors?: string[];
  readonly refresh: number;
  readonly warmUp?: boolean;
  readonly limits: boolean;
  readonly drainGrace: number;
  readonly drainDeadline: number;
  readonly accountWait: number;
  readonly faults?: string;
  readonly faultControl?: boolean;
  readonly mcp?: boolean;
  /** True with `--console`, false with `--no-console`; by default where only this machine can reach the server. */
  readonly console?: boolean;
}

/** What the options name, once it is there. */
interface Given {
  readonly embedder: Embedder | undefined;
  readonly faults: FaultInjector | undefined;
}

/** Registers `serve`: the service over HTTP, until Ctrl-C. */
export function registerServe(program: Command, context: CliContext): void {
  const command = program
    .command("serve")
    .description("Serve a lake over HTTP like the remote service, with the files of its slices for `pull`.")
    .option("--host <address>", "address to listen on (default: 127.0.0.1, this machine only)", address)
    .option("--port <n>", "port to listen on; 0 for any free port", wholeNumber(0, 65_535), 8080)
    .option(
      "--allow-host <names>",
      "further host names that clients may use; repeat or use commas",
      listOf(hostProblem),
    )
    .option(
      "--cors <origins>",
      "origins whose pages may call the server, or *; repeat or use commas",
      listOf(originProblem),
    )
    .option(
      "--refresh <seconds>",
      "interval of checks for newly installed slices; 0 for never",
      wholeNumber(0, 86_400),
      10,
    )
    .option(
      "--warm-up",
      "search for pieces of the lake's own texts before listening, so that the first calls are fast",
    )
    .option("--no-limits", "do not enforce the account's rate limit and the endpoints' caps")
    .option("--mcp", "serve agents too, by the Model Context Protocol at /mcp, behind the same keys")
    .option(
      "--console",
      "serve the web console at / even to other machines, with --host (default: to this machine only)",
    )
    .option("--no-console", "do not serve the web console")
    .addOption(
      new Option("--log <format>", "write a line for each request to standard error").choices([
        "json",
        "text",
      ]),
    )
    .option(
      "--operations-port <n>",
      "serve /metrics, /healthz and /readyz on a port of their own; 0 for any free port",
      wholeNumber(0, 65_535),
    )
    .option(
      "--operations-host <address>",
      "address for that port (default: 127.0.0.1, this machine only)",
      address,
    )
    .option(
      "--drain-grace <seconds>",
      "on SIGTERM: take calls for so long while /readyz says 503, so that they are sent elsewhere",
      wholeNumber(0, 3_600),
      SERVE_DEFAULTS.drainGraceS,
    )
    .option(
      "--drain-deadline <seconds>",
      "then cut calls that are still under way after so long",
      wholeNumber(0, 3_600),
      SERVE_DEFAULTS.drainDeadlineS,
    )
    .option(
      "--account-wait <seconds>",
      "wait for an account on PostgreSQL that cannot be reached when the server starts",
      wholeNumber(0, 86_400),
      SERVE_DEFAULTS.accountWaitS,
    )
    .option("--faults <file>", "faults that calls meet, for tests: a file of JSON (docs/guide/testing.md)")
    .option(
      "--fault-control",
      "let those with a key of the account read and change the faults at /_mirrorlake/faults",
    );
  embedderOption(asOfOption(readOnlyOption(accountOption(lakeOption(jsonOption(command))))));
  examples(command, [
    "serve --lake .mirrorlake/demo --port 8080",
    'serve --json                      # one line: {"url":…,"apiKey":…,"console":…}',
    "pull http://127.0.0.1:8080 --key ml_… --lake ./copy   # its slices, elsewhere",
    "serve --mcp                       # for agents: /mcp",
    "serve --lake ./lake --no-console  # the API alone",
    "serve --lake ./lake --account postgres://me@db.example/lake   # with other servers, one balance",
    "serve --log json --operations-port 9464   # for Prometheus: http://127.0.0.1:9464/metrics",
    "serve --warm-up                   # some seconds later, but fast from the first call on",
    "serve --cors http://localhost:5173 --no-limits",
    "serve --faults faults.json --fault-control",
  ]);
  command.action(async (options: ServeOptions) => {
    const faults = await faultsOf(options);
    const operations = await Operations.start(options, context);
    let clean = false;
    try {
      await accountThere(options, operations, context);
      const embedder = await embedderOf(options, context);
      const limits = options.limits ? "on" : "off";
      const lake = await openLakeOf(options, context, { limits, embedder, faults });
      try {
        if (options.warmUp === true) {
          const { warmBeforeServing } = await import("./warm-before-serving.js");
          await warmBeforeServing(lake, operations, context);
        }
        await serve(lake, operations, { embedder, faults }, options, context);
      } finally {
        clean = await closeInTime(lake);
      }
    } finally {
      await operations.close(clean);
    }
    if (!clean) context.fail();
  });
}

function address(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("Expected an address of this machine.");
}

/** Waits for the account, where it is on PostgreSQL: it may start at the same time. */
async function accountThere(
  options: ServeOptions,
  operations: Operations,
  context: CliContext,
): Promise<void> {
  const address = accountAddress(options, context);
  if (address === undefined || options.accountWait === 0) return;
  const { waitForAccount } = await import("./wait-for-account.js");
  await waitForAccount(address, options.accountWait, (error) => operations.waits(error), context.signal);
}

/** The faults that are asked for; undefined if none are, nor their control. */
async function faultsOf({ faults, faultControl }: ServeOptions): Promise<FaultInjector | undefined> {
  if (faults === undefined && faultControl !== true) return undefined;
  const { FaultInjector } = await import("../faults/fault-injector.js");
  const { readJsonFile } = await import("../lake/lake-catalogue.js");
  return new FaultInjector(faults === undefined ? [] : ((await readJsonFile(faults)) as FaultPlanInput));
}

/** Closes the lake and its account; false if what is under way does not end. */
async function closeInTime(lake: LakeClient): Promise<boolean> {
  const given = new AbortController();
  const late = wait(SERVE_DEFAULTS.closeS * 1000, false, { signal: given.signal }).catch(() => false);
  try {
    return await Promise.race([lake.close().then(() => true), late]);
  } finally {
    given.abort();
  }
}

async function serve(
  lake: LakeClient,
  operations: Operations,
  { embedder, faults }: Given,
  options: ServeOptions,
  context: CliContext,
): Promise<void> {
  const { startServer } = await import("../http/server.js");
  const { sliceFiles } = await import("../client/files/slice-files.js");
  const { host, port, allowHost, cors } = options;
  const service = await operations.observe(lake.service);
  const mcp = options.mcp === true ? await mcpOf(lake, service, options, operations) : undefined;
  const cluster = clickHouseLake(options, context) !== undefined;
  if (cluster && options.console === true) lakePath(options, context);
  const webConsole =
    !cluster && hasConsole(options) ? await consoleOf(lake, embedder, options, operations) : undefined;
  const server = await startServer(service, {
    port,
    files: cluster ? undefined : sliceFiles(lake),
    mcp: mcp?.fetch,
    console: webConsole?.fetch,
    host,
    allowedHosts: allowHost,
    site: faults === undefined || options.faultControl !== true ? undefined : await controlOf(faults, lake),
    cors,
    readiness: operations.readiness,
    onRequest: operations.onRequest,
    onError: (error) => operations.failed(error),
  });
  operations.serve(lake, server);
  const stopRefreshing = refreshEvery(options, lake, operations, context.signal);
  try {
    announce(server, lake, webConsole, operations, options, context);
    if (!context.signal.aborted) await once(context.signal, "abort");
    operations.drain();
    await wait(options.drainGrace * 1000);
  } finally {
    stopRefreshing();
    await webConsole?.close();
    await server.close(options.drainDeadline * 1000);
    await mcp?.close(); // it refuses requests from then on, also those that the server still took
  }
}

async function controlOf(faults: FaultInjector, { account }: LakeClient) {
  const { createFaultSite } = await import("../http/fault-site.js");
  return createFaultSite(faults, async (apiKey) => (await account.authenticate(apiKey)) !== undefined);
}

async function mcpOf(
  lake: LakeClient,
  service: Service,
  { cors }: ServeOptions,
  operations: Operations,
): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import("../mcp/http-endpoint.js");
  return createMcpEndpoint({
    version,
    service,
    account: lake.account,
    sqlStream: lake.sqlStream,
    origins: cors === undefined ? undefined : allowedOrigins(cors),
    onError: (error) => operations.refused(error),
  });
}

/** Whether the console is served: on request, and where only this machine can reach the server. */
function hasConsole({ console: asked, host = "127.0.0.1" }: ServeOptions): boolean {
  return asked ?? (host === "localhost" || host === "::1" || /^127\./.test(host));
}

async function consoleOf(
  lake: LakeClient,
  embedder: Embedder | undefined,
  { readOnly, asOf }: ServeOptions,
  operations: Operations,
): Promise<Console> {
  const { createConsole } = await import("../console/console.js");
  const onError = (error: unknown) => operations.failed(error);
  return createConsole({ lake, version, writable: readOnly !== true, embedder, asOf, onError });
}

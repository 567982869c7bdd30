import { createRequire } from "node:module";
import type { LakeClient } from "../client/open-lake.js";
import type { WarmUp } from "../client/warm-up.js";
import { systemClock } from "../clock.js";
import { type LakeError, UsageError } from "../contract/errors.js";
import { terminalLine } from "../contract/terminal-text.js";
import type { EndedRequest } from "../http/observe-request.js";
import type { OperationsServer } from "../http/operations-server.js";
import type { Readiness } from "../http/readiness.js";
import type { RequestLog } from "../http/request-log.js";
import type { ServiceServer } from "../http/server.js";
import type { ServerMetrics } from "../metrics/server-metrics.js";
import type { Service } from "../service/pipeline.js";
import type { CliContext } from "./context.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** Options of `serve` for those who operate it. */
export interface OperationsOptions {
  readonly log?: "json" | "text";
  readonly operationsPort?: number;
  readonly operationsHost?: string;
  readonly allowHost?: string[];
}

/** What those who operate a server see of it: readiness, and on request metrics and logs. */
export class Operations {
  private served: { readonly lake: LakeClient; readonly server: ServiceServer } | undefined;

  private constructor(
    readonly readiness: Readiness,
    private readonly log: RequestLog | undefined,
    private readonly metrics: ServerMetrics | undefined,
    private readonly context: CliContext,
    private server?: OperationsServer,
  ) {}

  /** Starts before the lake is opened, so that probes can be answered meanwhile. @throws UsageError `missing_argument`, `port_in_use`, `cannot_listen` */
  static async start(options: OperationsOptions, context: CliContext): Promise<Operations> {
    const { Readiness } = await import("../http/readiness.js");
    const { operationsHost: host, operationsPort: port, allowHost: allowedHosts } = options;
    if (host !== undefined && port === undefined)
      throw new UsageError(
        "missing_argument",
        "--operations-host is for the port of operations, which is not served",
        {
          value: host,
          remedy: "Add --operations-port.",
        },
      );
    const readiness = new Readiness();
    const log = options.log === undefined ? undefined : await logOf(options.log, context);
    if (port === undefined) return new Operations(readiness, log, undefined, context);
    const { startOperations } = await import("../http/operations-server.js");
    const { ServerMetrics } = await import("../metrics/server-metrics.js");
    const metrics = new ServerMetrics(version);
    const operations = new Operations(readiness, log, metrics, context);
    operations.server = await startOperations({
      host,
      port,
      allowedHosts,
      readiness,
      metrics: async () => metrics.text(await readiness.report(), await operations.state()),
      onError: (error) => operations.failed(error),
    });
    log?.entry({ level: "info", event: "starting", pid: process.pid, operations: operations.url });
    return operations;
  }

  /** Address of metrics and probes, where they have a port. */
  get url(): string | undefined {
    return this.server?.url;
  }

  /** The service, with its calls counted where metrics are asked for. */
  async observe(service: Service): Promise<Service> {
    if (this.metrics === undefined) return service;
    const { observeCalls } = await import("../service/observe-calls.js");
    return observeCalls(service, this.metrics.calls);
  }

  /** Hears of requests; undefined where none is wanted. */
  get onRequest(): ((request: EndedRequest) => void) | undefined {
    const { log, metrics } = this;
    if (log === undefined && metrics === undefined) return undefined;
    return (request) => {
      metrics?.requested(request);
      log?.request(request);
    };
  }

  /** From now on calls are answered, if lake and account answer. */
  serve(lake: LakeClient, server: ServiceServer): void {
    this.served = { lake, server };
    this.readiness.serve({ lake: (signal) => lake.lake.check(signal), account: () => lake.account.state() });
    this.log?.entry({ level: "info", event: "listening", url: server.url });
  }

  /** From now on no more calls should come. */
  drain(): void {
    this.readiness.drain();
    this.log?.entry({ level: "info", event: "draining" });
  }

  /** Tells why it does not listen yet. */
  waits({ code, message }: LakeError): void {
    if (this.log === undefined) this.context.err.write(`Waiting: ${terminalLine(message)}\n`);
    else this.log.entry({ level: "warn", event: "waiting", error: code, message });
  }

  /** Says that the lake is warmed up, where there is a log. */
  warmed({ searches, ms }: WarmUp): void {
    this.log?.entry({ level: "info", event: "warmed_up", searches, ms: Math.round(ms) });
  }

  /** Tells of an error that is no request's. */
  failed(error: unknown, event?: string): void {
    if (event === "refresh_failed") this.metrics?.refreshFailed();
    if (this.log !== undefined) this.log.error(error, event);
    else this.context.err.write(`${describe(error)}\n`);
  }

  /** Tells of a message of the Model Context Protocol that was refused: a line as every other, where there is a log. */
  refused(error: Error): void {
    if (this.log === undefined) this.context.err.write(`${terminalLine(error.message)}\n`);
    else this.log.error(error);
  }

  /** Ends everything. @param clean whether all that was under way had ended */
  async close(clean: boolean): Promise<void> {
    this.metrics?.close();
    await this.server?.close();
    this.log?.entry({ level: clean ? "info" : "error", event: "stopped", clean });
  }

  private async state() {
    if (this.served === undefined) return undefined;
    const { lake, server } = this.served;
    return {
      ...(await server.measure()),
      generation: lake.lake.generation,
      records: lake.lake.index.documentCount,
    };
  }
}

async function logOf(format: "json" | "text", { err }: CliContext): Promise<RequestLog> {
  const { RequestLog } = await import("../http/request-log.js");
  return new RequestLog(format, systemClock, (line) => err.data(line));
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

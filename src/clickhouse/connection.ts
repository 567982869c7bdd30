import { Readable } from "node:stream";
import type { ClickHouseClient } from "@clickhouse/client";
import { UsageError } from "../contract/errors.js";
import type { ClickHouseAddress } from "./clickhouse-address.js";
import { serversOf, shownClickHouse } from "./clickhouse-address.js";
import { clickHouseError, mayAnswerElsewhere } from "./clickhouse-error.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import { loadClickHouseClient } from "./load-clickhouse-client.js";
import { requestSettings } from "./request-settings.js";
import { flowing, StreamTail } from "./stream-tail.js";

/** Values of a statement, by name. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The database of a query of a user: a name without one is no table of the lake. */
const NO_TABLES = "system";

type Settings = Record<string, string | number>;

/** Options of {@link Connection.stream}. */
export interface StreamOptions {
  /** Settings of the query. */
  readonly settings?: Readonly<Settings>;
  readonly signal?: AbortSignal;
}

/** A server, and what speaks with it. */
interface Server {
  readonly address: ClickHouseAddress;
  readonly client: ClickHouseClient;
}

/**
 * A connection to the database of a lake, over HTTP. Errors of the server are LakeErrors. Where its address names several servers, what
 * only reads is asked of the next one when a server gives no answer, and from then on; what writes goes to the first.
 */
export class Connection {
  /** Number of the server that is asked. */
  private at = 0;

  private constructor(
    readonly address: ClickHouseAddress,
    /** Name of the database. */
    readonly database: string,
    private readonly servers: readonly Server[],
  ) {}

  /**
   * Makes a connection; nothing is sent yet.
   * @param use what for: to answer calls; to load tables, which takes long; for queries of users, which name tables with their
   * database and are limited by their own settings; or to see what the profile of the user sets
   * @param copies servers that have to have what is inserted into `Replicated` tables before it counts
   * @throws LakeError `cluster_driver_missing`; UsageError `invalid_lake_address`
   */
  static async open(
    address: ClickHouseAddress,
    use: "read" | "load" | "query" | "bare" = "read",
    copies = 1,
  ): Promise<Connection> {
    const { createClient, ClickHouseLogLevel } = await loadClickHouseClient();
    const parts = serversOf(address).map((server) => partsOf(server, address));
    const servers = parts.map(({ server, url, username, password, database, timeoutMs }): Server => {
      const silentMs =
        timeoutMs ??
        (use === "load" || use === "query" ? CLICKHOUSE_DEFAULTS.loadMs : CLICKHOUSE_DEFAULTS.readMs);
      const client = createClient({
        url,
        username,
        password,
        database: use === "query" ? NO_TABLES : database,
        request_timeout: silentMs,
        // The server may close a connection after a body that it took in pieces; the next body would then be lost half-way.
        keep_alive: { enabled: use !== "load" },
        application: "mirrorlake",
        // What goes wrong is an error of ours; nothing else writes to the process's output.
        log: { level: ClickHouseLogLevel.OFF },
        max_response_headers_size: use === "load" ? CLICKHOUSE_DEFAULTS.progressBytes : undefined,
        clickhouse_settings: use === "bare" ? {} : requestSettings(silentMs, use === "load", copies),
      });
      return { address: server, client };
    });
    return new Connection(address, parts[0]!.database, servers);
  }

  /** Rows of a query, each an array of its columns. @throws LakeError `cluster_*`; the signal's reason */
  async rows<Row extends readonly unknown[]>(
    sql: string,
    values: Parameters = {},
    signal?: AbortSignal,
  ): Promise<Row[]> {
    return this.ask(async (client) => {
      const result = await client.query({
        query: sql,
        query_params: values,
        format: "JSONCompactEachRow",
        abort_signal: signal,
      });
      return result.json<Row>();
    }, signal);
  }

  /**
   * Rows of a query with an order and a limit, and how many it sorted to find them: all that it has without the limit.
   * @returns `sorted` undefined where the server does not say it
   * @throws LakeError `cluster_*`; the signal's reason
   */
  async page<Row extends readonly unknown[]>(
    sql: string,
    values: Parameters = {},
    signal?: AbortSignal,
  ): Promise<{ rows: Row[]; sorted: number | undefined }> {
    return this.ask(async (client) => {
      const result = await client.query({
        query: sql,
        query_params: values,
        format: "JSONCompact",
        abort_signal: signal,
        clickhouse_settings: { exact_rows_before_limit: 1 },
      });
      const { data, rows_before_limit_at_least: sorted } = await result.json<Row>();
      return { rows: data, sorted };
    }, signal);
  }

  /** The answer of a query in the format RowBinary. @throws LakeError `cluster_*`; the signal's reason */
  async bytes(sql: string, values: Parameters = {}, signal?: AbortSignal): Promise<Buffer> {
    return this.ask(async (client) => {
      const query = `${sql} FORMAT RowBinary`;
      const { stream } = await client.exec({ query, query_params: values, abort_signal: signal });
      const parts: Buffer[] = [];
      for await (const part of flowing(stream, signal)) parts.push(part);
      return Buffer.concat(parts);
    }, signal);
  }

  /**
   * The answer of a query that names its format, in pieces as they come: no more is held than what is under way. A query that fails
   * half-way fails here, too.
   * @param settings of the query; with `readonly` they cannot be changed by its text
   * @throws LakeError `cluster_*`; the signal's reason
   */
  async *stream(
    sql: string,
    values: Parameters = {},
    { settings = {}, signal }: StreamOptions = {},
  ): AsyncGenerator<Buffer, void, void> {
    const { stream } = await this.ask(
      (client) =>
        client.exec({
          query: sql,
          query_params: values,
          abort_signal: signal,
          use_multipart_params_auto: true,
          clickhouse_settings: settings,
        }),
      signal,
    );
    const tail = new StreamTail();
    try {
      for await (const piece of flowing(stream, signal)) {
        tail.add(piece);
        yield piece;
      }
    } catch (error) {
      throw clickHouseError(this.address, tail.failure() ?? error, signal);
    } finally {
      stream.destroy();
    }
    const failure = tail.failure();
    if (failure !== undefined) throw clickHouseError(this.address, failure, signal);
  }

  /** Runs a statement that answers nothing. @throws LakeError `cluster_*` */
  async run(sql: string, values: Parameters = {}, signal?: AbortSignal): Promise<void> {
    await this.guard(
      this.servers[0]!,
      (client) => client.command({ query: sql, query_params: values, abort_signal: signal }),
      signal,
    );
  }

  /**
   * Inserts rows that come as RowBinary, in pieces of any size.
   * @param blockRows rows that the server takes for one part
   * @throws LakeError `cluster_*`; what the source throws; the signal's reason
   */
  async insert(
    table: string,
    columns: readonly string[],
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    {
      blockRows = CLICKHOUSE_DEFAULTS.blockRows.narrow,
      signal,
    }: { readonly blockRows?: number; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    let failed: { readonly error: unknown } | undefined;
    const source = async function* () {
      try {
        yield* pieces;
      } catch (error) {
        failed = { error };
        throw error;
      }
    };
    await this.guard(
      this.servers[0]!,
      async (client) => {
        try {
          const { stream } = await client.exec({
            query: `INSERT INTO ${table} (${columns.join(", ")}) FORMAT RowBinary`,
            values: Readable.from(source(), { objectMode: false }),
            abort_signal: signal,
            clickhouse_settings: {
              max_insert_block_size: String(blockRows),
              async_insert: 0,
            },
          });
          for await (const _ of stream);
        } catch (error) {
          throw failed === undefined ? error : new SourceFailed(failed.error);
        }
      },
      signal,
    );
  }

  /** Closes it. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map(({ client }) => client.close()));
  }

  /**
   * Asks a server for what changes nothing, and the others in turn if it gives no answer. Twice around: the first one may have failed
   * because it was asking the second, which is gone.
   */
  private async ask<T>(work: (client: ClickHouseClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const rounds = this.servers.length > 1 ? 2 : 1;
    for (let left = rounds * this.servers.length; ; left -= 1) {
      const { at } = this;
      try {
        return await this.guard(this.servers[at]!, work, signal);
      } catch (error) {
        if (left <= 1 || !mayAnswerElsewhere(error)) throw error;
        // Another request may have moved on to the next one already.
        if (this.at === at) this.at = (at + 1) % this.servers.length;
      }
    }
  }

  private async guard<T>(
    { address, client }: Server,
    work: (client: ClickHouseClient) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof SourceFailed) throw error.reason;
      throw clickHouseError(address, error, signal);
    }
  }
}

/** Marks an error of the rows that were to be inserted, which is no error of the server. */
class SourceFailed extends Error {
  constructor(readonly reason: unknown) {
    super();
  }
}

/** @param server an address with one server @param address the one that it is of, as errors show it */
function partsOf(server: ClickHouseAddress, address: ClickHouseAddress) {
  const parsed = URL.canParse(server) ? new URL(server) : undefined;
  const database = decodeURIComponent(parsed?.pathname.slice(1) ?? "");
  if (parsed === undefined || parsed.hostname === "" || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(database))
    throw new UsageError("invalid_lake_address", `Not the address of a lake: ${shownClickHouse(address)}`, {
      value: shownClickHouse(address),
      remedy:
        "Use clickhouse://user:password@host:8123/database, the database named by letters, digits and _; further servers as host:8123,host:8123.",
    });
  const timeout = parsed.searchParams.get("timeout");
  if (timeout !== null && !/^[1-9]\d{0,4}$/.test(timeout))
    throw new UsageError("invalid_lake_address", `Not a number of seconds: ${timeout}`, {
      value: timeout,
      remedy: "Write ?timeout=30 after the database: seconds without an answer, from 1 to 99999.",
    });
  const secure = parsed.protocol === "clickhouses:";
  return {
    server,
    url: `${secure ? "https" : "http"}://${parsed.hostname}:${parsed.port || (secure ? "8443" : "8123")}`,
    username: decodeURIComponent(parsed.username) || "default",
    password: decodeURIComponent(parsed.password),
    database,
    timeoutMs: timeout === null ? undefined : Number(timeout) * 1000,
  };
}

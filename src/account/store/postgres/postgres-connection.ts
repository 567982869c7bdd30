import type { Client, ClientConfig } from "pg";
import { LakeError, UsageError } from "../../../contract/errors.js";
import { POSTGRES } from "../../defaults.js";
import { SCHEMA, SCHEMA_VERSION } from "../schema.js";
import { loadPg } from "./load-pg.js";
import { shownAddress } from "./postgres-address.js";
import { CommitLost, isGone } from "./postgres-error.js";

/** Key of the advisory lock under which the tables are made. */
const CREATE_LOCK = 0x6d6c616b;

/** Values of a statement's parameters. */
export type Parameters = readonly (string | number | null | readonly (string | number | null)[])[];

/** A connection to an account on PostgreSQL, in the schema `mirrorlake`. */
export class PostgresConnection {
  /** Whether the connection is lost. */
  lost = false;

  private constructor(private readonly client: Client) {
    client.on("error", () => {
      this.lost = true;
    });
  }

  /**
   * Connects, and makes the tables where absent.
   * @throws the driver's error; LakeError `ledger_newer_format`, `account_driver_missing`
   */
  static async open(address: string): Promise<PostgresConnection> {
    return PostgresConnection.connect(address, (connection) => connection.prepareSchema(address));
  }

  /**
   * The version of an account's tables, undefined where there are none; makes nothing.
   * @throws the driver's error; LakeError `ledger_newer_format`, `account_driver_missing`
   */
  static async versionAt(address: string): Promise<number | undefined> {
    let version: number | undefined;
    const connection = await PostgresConnection.connect(address, async (opened) => {
      version = await opened.readableVersion(address);
    });
    await connection.close();
    return version;
  }

  private static async connect(
    address: string,
    prepare: (connection: PostgresConnection) => Promise<void>,
  ): Promise<PostgresConnection> {
    const pg = await loadPg();
    const client = clientOf(pg, address, {
      application_name: "mirrorlake",
      keepAlive: true,
      connectionTimeoutMillis: POSTGRES.connectMs,
      query_timeout: POSTGRES.queryMs,
      lock_timeout: POSTGRES.lockMs,
      // A server that stands still in the middle must not keep the others waiting for good.
      idle_in_transaction_session_timeout: POSTGRES.idleMs,
    });
    const connection = new PostgresConnection(client);
    try {
      await client.connect();
      await client.query("SET search_path = mirrorlake");
      await prepare(connection);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Rows of a statement, whose plan the server keeps by `name`. */
  async rows<R extends object>(name: string, text: string, values: Parameters = []): Promise<R[]> {
    return (await this.client.query<R>({ name, text, values: [...values] })).rows;
  }

  /** Begins a transaction. A writing one waits for all others that write: what it reads stays true until its commit. */
  async begin(writes: boolean): Promise<void> {
    await this.client.query(writes ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (writes) await this.client.query("LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE");
  }

  /** Commits. @throws CommitLost if the connection ended before the server answered */
  async commit(): Promise<void> {
    try {
      await this.client.query("COMMIT");
    } catch (error) {
      if (isGone(error)) throw new CommitLost("The connection was lost during a commit", { cause: error });
      throw error;
    }
  }

  /** Rolls back. Returns false if that fails: the connection is unusable. */
  async rollBack(): Promise<boolean> {
    if (this.lost) return false;
    try {
      await this.client.query("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  /** Closes the connection; the server rolls back what is not committed. */
  async close(): Promise<void> {
    // A connection that is lost already cannot say goodbye.
    await this.client.end().catch(() => {});
  }

  private async prepareSchema(address: string): Promise<void> {
    if ((await this.version()) === undefined) await this.createTables();
    await this.readableVersion(address);
  }

  private async readableVersion(address: string): Promise<number | undefined> {
    const version = await this.version();
    if (version !== undefined && version > SCHEMA_VERSION)
      throw new LakeError("ledger_newer_format", `${shownAddress(address)} has account format ${version}`, {
        value: version,
        remedy: `This release reads format ${SCHEMA_VERSION}: upgrade mirrorlake.`,
      });
    return version;
  }

  /** The version of the tables; undefined without tables. */
  private async version(): Promise<number | undefined> {
    // Not to_regclass: it may answer from a cache that has not heard of another server's commit.
    const { rowCount } = await this.client.query(
      "SELECT 1 FROM pg_tables WHERE schemaname = 'mirrorlake' AND tablename = 'schema_version'",
    );
    if (rowCount === 0) return undefined;
    const versions = await this.client.query<{ version: number }>("SELECT version FROM schema_version");
    return versions.rows[0]?.version;
  }

  private async createTables(): Promise<void> {
    await this.client.query("BEGIN");
    await this.client.query("SELECT pg_advisory_xact_lock($1)", [CREATE_LOCK]);
    // Another server may have made them meanwhile.
    if ((await this.version()) === undefined) {
      await this.client.query("CREATE SCHEMA IF NOT EXISTS mirrorlake");
      await this.client.query(SCHEMA);
    }
    await this.client.query("COMMIT");
  }
}

/** Makes a client. @throws UsageError `invalid_account` for an address that is not read as it was meant; without its text, which has a password */
function clientOf(pg: Pick<typeof import("pg"), "Client">, address: string, options: ClientConfig): Client {
  try {
    // Behind the host an @ is of a password that ended too soon, and the host is a part of it.
    // The driver reads an address without a host, as of a socket, which URL does not.
    const { pathname, search, hash } = new URL(address.replace("@/", "@socket/"));
    if (!`${pathname}${search}${hash}`.includes("@")) {
      const client = new pg.Client({ ...options, connectionString: address });
      nameDatabase(client, pathname.slice(1));
      return client;
    }
  } catch (error) {
    if (!(error instanceof URIError) && (error as NodeJS.ErrnoException).code !== "ERR_INVALID_URL")
      throw error;
  }
  throw new UsageError("invalid_account", "The address of the account cannot be read", {
    remedy:
      "Write signs of the user, the password and the database that part an address by their numbers: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25.",
  });
}

/** Names the database as libpq does: the driver leaves numbers of signs that part an address, such as `%2F`, as they are. */
function nameDatabase(client: Client, written: string): void {
  const name = decodeURIComponent(written);
  if (name === decodeURI(written)) return;
  const { connectionParameters } = client as unknown as {
    readonly connectionParameters: { database: string };
  };
  connectionParameters.database = name;
}

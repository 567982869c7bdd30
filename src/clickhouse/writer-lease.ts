import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import { shownClickHouse } from "./clickhouse-address.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";

const { holdMs, renewMs, marginMs, waitMs, lookMs } = CLICKHOUSE_DEFAULTS.lease;
const NAME = "^writer_[0-9]+$";
/** The number of the newest lease, in SQL. */
const NEWEST = `SELECT max(toUInt64OrZero(substring(name, 8))) FROM system.tables
  WHERE database = {database:String} AND match(name, '${NAME}')`;

/** A lease as the server has it: its number, who holds it, and until when by the server's clock. */
interface Claim {
  readonly number: number;
  readonly holder: string;
  readonly untilMs: number;
}

/**
 * The right to change what is visible in a lake: one writer has it at a time. A lease is an empty table `writer_<n>`, because the
 * server makes a table of one name once, however many ask for it; its comment says who holds it and until when, by the server's clock. The
 * greatest number counts, and numbers only grow: a writer that stalls for longer than a lease lasts finds that a greater one was made.
 * {@link WriterLease.condition} makes a statement do nothing then.
 */
export class WriterLease {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly connection: Connection,
    private readonly number: number,
    private readonly holder: string,
  ) {
    this.timer = setInterval(() => {
      // What fails here is found by the next look at the lease.
      this.renew().catch(() => {});
    }, renewMs);
    this.timer.unref();
  }

  /**
   * Waits for its turn, and takes the lease.
   * @throws LakeError `cluster_busy` if another writer has it for too long; the signal's reason
   */
  static async take(connection: Connection, signal?: AbortSignal): Promise<WriterLease> {
    const holder = randomBytes(16).toString("hex");
    for (const end = performance.now() + waitMs; performance.now() < end; ) {
      signal?.throwIfAborted();
      const { now, newest, names } = await look(connection);
      if (newest === undefined || newest.untilMs <= now) {
        const number = (newest?.number ?? 0) + 1;
        if (await claim(connection, { number, holder, untilMs: now + holdMs })) {
          for (const name of names) await connection.run(`DROP TABLE IF EXISTS ${name}`);
          return new WriterLease(connection, number, holder);
        }
      }
      await sleep(lookMs, undefined, { signal });
    }
    throw busy(connection, "Another install or removal is at work");
  }

  /** SQL of the condition that this lease is the newest; its parameters are {@link WriterLease.values}. */
  get condition(): string {
    return `(${NEWEST}) = ${this.number}`;
  }

  get values(): Readonly<Record<string, unknown>> {
    return { database: this.connection.database };
  }

  /** @throws LakeError `cluster_busy` if the lease was lost, or ends too soon for what comes */
  async assertHeld(): Promise<void> {
    const { now, newest } = await look(this.connection);
    if (newest?.holder !== this.holder || newest.number !== this.number || newest.untilMs - now < marginMs)
      throw this.lost();
  }

  /** The error of a writer that stalled for too long. */
  lost(): LakeError {
    return busy(this.connection, "This writer stalled, and another one took over");
  }

  /** Gives it back. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    // The table stays: numbers only grow. Where this fails the lease ends by itself.
    await this.note(0).catch(() => {});
  }

  private async renew(): Promise<void> {
    const { now } = await look(this.connection);
    await this.note(now + holdMs);
  }

  private note(untilMs: number): Promise<void> {
    return this.connection.run(
      `ALTER TABLE writer_${this.number} MODIFY COMMENT '${this.holder} ${untilMs}'`,
    );
  }
}

/** Makes the table of a lease; whether it is the newest then. */
async function claim(connection: Connection, { number, holder, untilMs }: Claim): Promise<boolean> {
  const made = `CREATE TABLE writer_${number} (held UInt8) ENGINE = Memory COMMENT '${holder} ${untilMs}'`;
  try {
    await connection.run(made);
  } catch (error) {
    const { newest } = await look(connection);
    if (newest !== undefined && newest.number >= number && newest.holder !== holder) return false;
    if (newest?.holder !== holder) throw error;
  }
  if ((await look(connection)).newest?.holder === holder) return true;
  await connection.run(`DROP TABLE IF EXISTS writer_${number}`);
  return false;
}

/** The time of the server, the newest lease, and the tables of all leases. */
async function look(connection: Connection): Promise<{
  readonly now: number;
  readonly newest: Claim | undefined;
  readonly names: readonly string[];
}> {
  const [row] = await connection.rows<[number, string, string, string[]]>(
    `SELECT toUnixTimestamp64Milli(now64(3)), argMax(name, toUInt64OrZero(substring(name, 8))),
        argMax(comment, toUInt64OrZero(substring(name, 8))), groupArray(name)
      FROM system.tables WHERE database = {database:String} AND match(name, '${NAME}')`,
    { database: connection.database },
  );
  const [now, name, comment, names] = row!;
  if (name === "") return { now, newest: undefined, names };
  const [holder = "", until] = comment.split(" ");
  return { now, newest: { number: Number(name.slice(7)), holder, untilMs: Number(until) || 0 }, names };
}

function busy({ address }: Connection, why: string): LakeError {
  const shown = shownClickHouse(address);
  return new LakeError("cluster_busy", `${why} on ${shown}`, {
    value: shown,
    remedy: "Run it again: what is installed or removed already is left out.",
  });
}

import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import {
  CONTENTION_CHECK_MS,
  HANDOVER_MS,
  HEARTBEAT_LOST_MS,
  HEARTBEAT_MS,
  LOCK_RETRY_MS,
  LOCK_TIMEOUT_MS,
} from "./defaults.js";
import { isRunning, ProcessIdentity, thisProcess } from "./process-identity.js";

/** What the lock's folder says. */
interface Sight {
  /** Highest turn number that was ever taken, 0 for none. Turns are taken one after the other and never given out twice. */
  readonly turn: number;
  /** Whether the holder of that turn gave it back. */
  readonly free: boolean;
  readonly names: readonly string[];
}

/**
 * A lock between processes, in a folder. Turn `n` is taken by creating `<n>.held`, which one process alone can do, and given
 * back by renaming that to `<n>.free`; whoever comes next takes `n + 1`. A holder that has died is passed over in
 * the same way, so that two processes that find it dead cannot both follow it. A holder on another host counts as
 * dead when it has given no sign of life for a while. Processes that wait leave `<random>.waiting`.
 */
export class WriterLock {
  readonly #dir: string;
  readonly #timeoutMs: number;
  readonly #onContended: () => void;
  #turn = 0;
  #file: FileHandle | undefined;
  #watch: NodeJS.Timeout | undefined;
  #lastSign = 0;
  #looking = false;
  #contended = false;
  #courtesy: { readonly turn: number; readonly until: number } | undefined;

  constructor(dir: string, options: { timeoutMs?: number; onContended?: () => void } = {}) {
    this.#dir = dir;
    this.#timeoutMs = options.timeoutMs ?? LOCK_TIMEOUT_MS;
    this.#onContended = options.onContended ?? (() => {});
  }

  /** Whether another process waits for the lock that this one holds. */
  get contended(): boolean {
    return this.#contended;
  }

  /** @throws LakeError `account_busy`, `account_not_writable` */
  async acquire(): Promise<void> {
    if (this.#file !== undefined) return;
    const giveUp = Date.now() + this.#timeoutMs;
    let marker: string | undefined;
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      for (;;) {
        const sight = await this.#look();
        if ((await this.#takeable(sight, marker)) && (await this.#take(sight.turn + 1))) break;
        if (Date.now() >= giveUp) throw await this.#busy(sight);
        marker ??= await this.#leaveMarker();
        await sleep(LOCK_RETRY_MS * (0.5 + Math.random()));
      }
    } catch (error) {
      throw asNotWritable(this.#dir, error);
    } finally {
      if (marker !== undefined) await rm(marker, { force: true });
    }
    this.#contended = false;
    this.#courtesy = undefined;
    this.#watch = setInterval(() => void this.#lookOut(), CONTENTION_CHECK_MS).unref();
  }

  /** Gives the lock back. Where others wait, one of them has it before this process can have it again. */
  async release(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    clearInterval(this.#watch);
    this.#file = undefined;
    if (this.#contended) this.#courtesy = { turn: this.#turn, until: Date.now() + HANDOVER_MS };
    this.#contended = false;
    await file.close();
    try {
      await rename(this.#held(this.#turn), join(this.#dir, `${this.#turn}.free`));
    } catch (error) {
      // Taken over by a process that believed this one dead: there is nothing left to give back.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }

  /**
   * Makes sure, before a write, that the lock was not taken over while this process stood still (a suspended machine).
   * @throws LakeError `account_lock_lost`
   */
  async assertHeld(): Promise<void> {
    if (this.#file !== undefined && Math.abs(Date.now() - this.#lastSign) < HEARTBEAT_LOST_MS / 2) return;
    const sight = await this.#look();
    if (this.#file !== undefined && sight.turn === this.#turn && !sight.free) {
      await this.#giveSign();
      return;
    }
    throw new LakeError("account_lock_lost", "Another process has taken over the account", {
      value: this.#dir,
      remedy: "Nothing was charged. Call again.",
    });
  }

  async #look(): Promise<Sight> {
    const names = await readdir(this.#dir);
    let turn = 0;
    for (const name of names) turn = Math.max(turn, Number(/^(\d+)\.(?:held|free)$/.exec(name)?.[1] ?? 0));
    return { turn, free: turn === 0 || names.includes(`${turn}.free`), names };
  }

  async #takeable(sight: Sight, marker: string | undefined): Promise<boolean> {
    if (!sight.free) return this.#isDead(sight.turn, marker);
    return this.#courtesy?.turn !== sight.turn || Date.now() > this.#courtesy.until;
  }

  /** Takes a turn; false when another process was faster. */
  async #take(turn: number): Promise<boolean> {
    let file: FileHandle;
    try {
      file = await open(this.#held(turn), "wx", 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
    await file.write(identityText(), 0, "utf8");
    const sight = await this.#look();
    if (sight.turn !== turn || sight.free) {
      // The turn was taken and given back since it was looked for: this file was made too late.
      await file.close();
      await rm(this.#held(turn), { force: true });
      return false;
    }
    this.#file = file;
    this.#turn = turn;
    this.#lastSign = Date.now();
    const past = sight.names.filter((name) => /^\d+\./.test(name) && Number.parseInt(name, 10) < turn);
    await Promise.all(past.map((name) => rm(join(this.#dir, name), { force: true })));
    return true;
  }

  async #isDead(turn: number, marker: string | undefined): Promise<boolean> {
    const holder = await this.#holder(turn);
    const running = holder === undefined ? "unknown" : isRunning(holder);
    if (running !== "unknown") return !running;
    if (marker === undefined) return false;
    try {
      // Both times come from the clock of the file system, whatever the hosts' own clocks say.
      await writeSign(marker);
      const [mine, theirs] = await Promise.all([stat(marker), stat(this.#held(turn))]);
      return mine.mtimeMs - theirs.mtimeMs > HEARTBEAT_LOST_MS;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  /** Who holds the turn; undefined when that was given back, or is not written yet. */
  async #holder(turn: number): Promise<ProcessIdentity | undefined> {
    return readIdentity(this.#held(turn));
  }

  async #leaveMarker(): Promise<string> {
    const marker = join(this.#dir, `${crypto.randomUUID()}.waiting`);
    await writeSign(marker);
    return marker;
  }

  async #lookOut(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      if (Date.now() - this.#lastSign > HEARTBEAT_MS) await this.#giveSign();
      const { names } = await this.#look();
      let waiting = false;
      for (const name of names) {
        if (name.endsWith(".waiting") && (await this.#stillWaits(join(this.#dir, name)))) waiting = true;
      }
      if (waiting && !this.#contended && this.#file !== undefined) {
        this.#contended = true;
        this.#onContended();
      }
    } catch {
      // The folder cannot be read just now. Writing, which asks for the lock itself, fails if that is serious.
    } finally {
      this.#looking = false;
    }
  }

  async #stillWaits(marker: string): Promise<boolean> {
    const identity = await readIdentity(marker);
    const running = identity === undefined ? "unknown" : isRunning(identity);
    if (running === true) return true;
    const { mtimeMs } = await stat(marker);
    if (running === "unknown" && Date.now() - mtimeMs < HEARTBEAT_LOST_MS) return true;
    await rm(marker, { force: true });
    return false;
  }

  async #giveSign(): Promise<void> {
    await this.#file?.write(identityText(), 0, "utf8");
    this.#lastSign = Date.now();
  }

  async #busy(sight: Sight): Promise<LakeError> {
    const holder = await this.#holder(sight.turn);
    const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
    return new LakeError("account_busy", `The account is kept by ${who}`, {
      value: holder ?? this.#dir,
      remedy: `Try again, or end that process; if it is gone for certain, delete ${this.#held(sight.turn)}.`,
    });
  }

  #held(turn: number): string {
    return join(this.#dir, `${turn}.held`);
  }
}

function identityText(): string {
  return JSON.stringify(thisProcess());
}

async function writeSign(path: string): Promise<void> {
  const file = await open(path, "a+", 0o600);
  try {
    await file.truncate(0);
    await file.write(identityText());
  } finally {
    await file.close();
  }
}

async function readIdentity(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return ProcessIdentity.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // Gone, or just being written: nothing is known of its owner.
    return undefined;
  }
}

function asNotWritable(dir: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (!["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR"].includes(code)) return error;
  return new LakeError("account_not_writable", `The account in ${dir} cannot be written (${code})`, {
    value: dir,
    remedy: "Make the lake's account folder writable, or open the lake with an account in memory.",
    cause: error,
  });
}

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../src/account/ledger-entry.js";
import { openAccount } from "../../src/account/open-account.js";
import { thisProcess } from "../../src/account/process-identity.js";
import { WriterLock } from "../../src/account/writer-lock.js";
import { micros } from "../../src/contract/money.js";

const CHILD = fileURLToPath(new URL("./spend-child.js", import.meta.url));
const PRICE = 1500n;

let lake: string;
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-processes-"));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(lake, { recursive: true });
});

/** Runs a spending process; with `killAfter`, kills it without warning after so many charged answers. */
async function spend(
  name: string,
  ids: readonly string[],
  funds: bigint,
  options: { readonly killAfter?: number; readonly durability?: "strict" | "relaxed" } = {},
): Promise<{
  readonly answers: readonly string[];
  readonly code: number | null;
  readonly complaints: string;
}> {
  const idFile = join(lake, `${name}.ids`);
  await writeFile(idFile, ids.join("\n"));
  const { durability = "strict" } = options;
  const child = spawn(process.execPath, [CHILD, lake, durability, String(funds), idFile], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (data: Buffer) => {
    complaints += data.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const answers: string[] = [];
  let charged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(line);
    if (line.endsWith(" charged")) charged += 1;
    if (charged === options.killAfter) child.kill("SIGKILL");
  }
  return { answers, code: await exited, complaints };
}

async function ledger(): Promise<LedgerEntry[]> {
  const account = await openAccount(lake);
  const entries: LedgerEntry[] = [];
  for await (const entry of account.entries()) entries.push(entry);
  await account.close();
  return entries;
}

function charges(entries: readonly LedgerEntry[]): string[] {
  return entries.filter((entry) => entry.outcome === "charged").map((entry) => entry.request ?? "");
}

describe("kill -9 in the middle of 10,000 concurrent calls", () => {
  it.each([
    ["strict", 20],
    ["relaxed", 5],
  ] as const)(
    "%s, %i times: no answered charge lost, none doubled",
    async (durability, kills) => {
      const all = Array.from({ length: 10_000 }, (_, i) => (i % 5 === 0 ? `empty-${i}` : `call-${i}`));
      const funds = 4321n * PRICE + 7n;
      const answered = new Map<string, string>();
      const answeredTwice: string[] = [];
      const hear = (answers: readonly string[]): void => {
        for (const answer of answers) {
          const [id = "", outcome = ""] = answer.split(" ");
          if (answered.has(id)) answeredTwice.push(id);
          answered.set(id, outcome);
        }
      };
      let unanswered = 0;
      for (let run = 0; run < kills; run++) {
        const left = all.filter((id) => !answered.has(id));
        const killAfter = 7 + ((run * 7919) % 230);
        const { answers, code, complaints } = await spend(`run-${run}`, left, funds, {
          killAfter,
          durability,
        });
        expect({ code, complaints: complaints.replace(/^.*that a crash left unfinished\n/gm, "") }).toEqual({
          code: null,
          complaints: "",
        });
        hear(answers);
        const charged = charges(await ledger());
        expect(new Set(charged).size).toBe(charged.length);
        const known = new Set(charged);
        unanswered += charged.filter((id) => !answered.has(id)).length;
        const wrong = [...answered].filter(([id, outcome]) => known.has(id) !== (outcome === "charged"));
        expect(wrong).toEqual([]);
      }
      // The kills came at bad moments: there were charges whose answers never left.
      expect(unanswered).toBeGreaterThan(kills);
      const last = await spend(
        "last",
        all.filter((id) => !answered.has(id)),
        funds,
        { durability },
      );
      expect(last.code).toBe(0);
      hear(last.answers);

      const entries = await ledger();
      const charged = charges(entries);
      expect(answered.size).toBe(10_000);
      expect(answeredTwice).toEqual([]);
      expect(charged).toHaveLength(4321);
      expect(new Set(charged)).toEqual(
        new Set([...answered].filter(([, o]) => o === "charged").map(([id]) => id)),
      );
      expect([...answered.values()].filter((outcome) => outcome === "refused").length).toBeGreaterThan(0);
      expect(entries.reduce((sum, entry) => sum + BigInt(entry.amount), 0n)).toBe(7n);
      expect(entries.at(-1)?.balance).toBe("7");
    },
    600_000,
  );
});

describe("several processes on one account", () => {
  it("take turns: together they spend what there is, and not a micro-dollar more", async () => {
    const funds = 1500n * PRICE + PRICE - 1n;
    const names = ["ada", "ben", "cy"];
    const runs = await Promise.all(
      names.map((name) =>
        spend(
          name,
          Array.from({ length: 1000 }, (_, i) => `${name}-${i}`),
          funds,
          { durability: "relaxed" },
        ),
      ),
    );
    const answers = runs.flatMap((run) => run.answers);
    for (const run of runs) expect(run).toMatchObject({ code: 0, complaints: "" });
    expect(answers.filter((answer) => answer.endsWith(" charged"))).toHaveLength(1500);
    expect(answers.filter((answer) => answer.endsWith(" refused"))).toHaveLength(1500);
    const entries = await ledger();
    expect(entries).toHaveLength(3001);
    expect(entries.at(-1)?.balance).toBe((PRICE - 1n).toString());
  });

  it("see each other's top-ups while they run", async () => {
    const busy = await openAccount(lake, { limits: "off", openingBalance: micros(0n) });
    const other = await openAccount(lake);
    const principal = { keyId: "key_busy", accountId: "acct_local", scopes: ["*"] };
    const endpoint = { id: "raw.short-video.comments", price: micros(PRICE), freeEligible: false };
    let toppedUp: Promise<unknown> | undefined;
    for (let paid = false; !paid; ) {
      const visit = await busy.enter();
      const hold = await busy.hold(principal, endpoint);
      if (hold === undefined) toppedUp ??= other.topUp(micros(PRICE));
      else paid = (await hold.charge("paid")).billed;
      visit.leave();
      await new Promise(setImmediate);
    }
    await toppedUp;
    expect(busy.state()).toMatchObject({ balance: 0n, toppedUp: true });
    await busy.close();
    await other.close();
  });
});

describe("the writer's lock", () => {
  const folder = () => join(lake, "lock");
  const held = async (turn: number, identity: object): Promise<string> => {
    await mkdir(folder(), { recursive: true });
    const path = join(folder(), `${turn}.held`);
    await writeFile(path, JSON.stringify(identity));
    return path;
  };

  it("is held by one at a time, and each waiter gets it", async () => {
    let inside = 0;
    const turns: number[] = [];
    const contender = async (name: number): Promise<void> => {
      const lock = new WriterLock(folder());
      for (let i = 0; i < 5; i++) {
        await lock.acquire();
        expect(++inside).toBe(1);
        turns.push(name);
        await new Promise(setImmediate);
        inside -= 1;
        await lock.release();
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(contender));
    expect(turns).toHaveLength(30);
    expect(await readdir(folder())).toEqual(["30.free"]);
  });

  it.each([
    ["that has ended", { ...thisProcess(), pid: 2 ** 22 + 1 }],
    ["whose id was given to another since", { ...thisProcess(), started: 1 }],
  ])("is taken over at once from a process %s", async (_, identity) => {
    await held(7, identity);
    const lock = new WriterLock(folder(), { timeoutMs: 0 });
    await lock.acquire();
    expect(await readdir(folder())).toEqual(["8.held"]);
    await lock.release();
  });

  it("is not taken from a process that runs: the error names it", async () => {
    await held(3, thisProcess());
    const lock = new WriterLock(folder(), { timeoutMs: 30 });
    await expect(lock.acquire()).rejects.toMatchObject({
      code: "account_busy",
      message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
    });
    expect(await readdir(folder())).toEqual(["3.held"]);
  });

  it("is taken from another host's process only when that has given no sign of life for long", async () => {
    const path = await held(3, { host: "elsewhere", pid: 1, started: 1 });
    const lock = new WriterLock(folder(), { timeoutMs: 30 });
    await expect(lock.acquire()).rejects.toMatchObject({ code: "account_busy" });
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(path, longAgo, longAgo);
    await lock.acquire();
    expect(await readdir(folder())).toEqual(["4.held"]);
    await lock.release();
  });

  it("that was taken over while its holder stood still is not written under", async () => {
    const lock = new WriterLock(folder());
    await lock.acquire();
    await lock.assertHeld();
    await held(2, thisProcess());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: "account_lock_lost" });
    await lock.release();
  });

  it("does not follow two who found the same holder dead", async () => {
    await held(1, { ...thisProcess(), started: 1 });
    const locks = Array.from({ length: 8 }, () => new WriterLock(folder(), { timeoutMs: 0 }));
    const taken = await Promise.allSettled(locks.map((lock) => lock.acquire()));
    expect(taken.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    await Promise.all(locks.map((lock) => lock.release()));
  });
});

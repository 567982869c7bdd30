import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalAccount } from "../../src/account/local-account.js";
import { MemoryStore } from "../../src/account/store/memory-store.js";
import { SqliteStore } from "../../src/account/store/sqlite-store.js";
import { micros } from "../../src/contract/money.js";

const COMMENTS = { id: "raw.short-video.comments", price: micros(1500n), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-store-"));
  file = join(folder, "account.db");
});
afterEach(() => rm(folder, { recursive: true }));

async function charge(account: LocalAccount, request: string): Promise<bigint> {
  const hold = await account.hold(PRINCIPAL, COMMENTS);
  return (await hold!.charge(request)).balance;
}

describe("a database that another connection writes to", () => {
  /** Keeps a write transaction open until it is let go. */
  async function keepBusy(): Promise<() => Promise<void>> {
    const store = new SqliteStore(file);
    let letGo = (): void => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begun = (): void => {};
    const busy = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const kept = store.transact(async (transaction) => {
      await transaction.totals();
      begun();
      await released;
    });
    await busy;
    return async () => {
      letGo();
      await kept;
      await store.close();
    };
  }

  it("is waited for, without holding up the event loop", async () => {
    const account = new LocalAccount(new SqliteStore(file, { busyTimeoutMs: 60_000 }));
    await charge(account, "first");
    const letGo = await keepBusy();
    let settled = false;
    const charged = charge(account, "second").finally(() => {
      settled = true;
    });
    // A lock that is waited for inside the engine would let no timer run before the wait is over.
    for (let turn = 0; turn < 20; turn++) await sleep(5);
    expect(settled).toBe(false);
    await letGo();
    expect(await charged).toBe(99_997_000n);
    await account.close();
  });

  it("is an error after a while, and nothing was changed", async () => {
    const account = new LocalAccount(new SqliteStore(file));
    await charge(account, "first");
    const letGo = await keepBusy();
    // Of its own: on a slow disk anything may take longer than that.
    const impatient = new LocalAccount(new SqliteStore(file, { busyTimeoutMs: 100 }));
    await expect(charge(impatient, "second")).rejects.toMatchObject({
      name: "LakeError",
      code: "account_busy",
    });
    await letGo();
    await impatient.close();
    expect((await account.state()).balance).toBe(99_998_500n);
    expect(await charge(account, "second")).toBe(99_997_000n);
    await account.close();
  });
});

describe("a transaction", () => {
  it("that throws undoes its own work alone, also among others that came with it", async () => {
    const store = new SqliteStore(file);
    const account = new LocalAccount(store);
    await charge(account, "first");
    const before = await account.state();
    const results = await Promise.allSettled([
      account.topUp(micros(1n)),
      store.transact(async (transaction) => {
        await transaction.saveTotals({ ...(await transaction.totals())!, balance: 0n });
        throw new Error("no");
      }),
      account.topUp(micros(2n)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await account.state()).balance).toBe(before.balance + 3n);
    await account.close();
  });

  it("leaves one file behind when its database is closed, again and again", async () => {
    for (let round = 1; round <= 3; round++) {
      const store = new SqliteStore(file);
      await store.transact(async (transaction) => transaction.addRatedCall(round));
      expect(await store.read(async (reader) => reader.ratedCalls())).toHaveLength(round);
      await store.close();
      expect(await readdir(folder)).toEqual(["account.db"]);
    }
  });

  it("is refused after close, and close waits for those before it", async () => {
    const store = new SqliteStore(file);
    const written = store.transact((transaction) => Promise.resolve(transaction.addRatedCall(7)));
    await Promise.all([written, store.close(), store.close()]);
    await expect(store.read(async () => 1)).rejects.toMatchObject({ code: "account_closed" });
    const again = new SqliteStore(file);
    expect(await again.read(async (reader) => reader.ratedCalls())).toEqual([7]);
    await again.close();
  });
});

describe("an account in memory", () => {
  it("keeps its newest entries only, and counts exactly all the same", async () => {
    const account = new LocalAccount(new MemoryStore(300), { limits: "off" });
    for (let i = 0; i < 1000; i++) await charge(account, `r${i}`);
    const seqs: number[] = [];
    for await (const entry of account.entries()) seqs.push(entry.seq);
    expect(seqs.length).toBeGreaterThanOrEqual(300);
    expect(seqs.length).toBeLessThan(400);
    expect(seqs.at(-1)).toBe(1001);
    expect((await account.state()).balance).toBe(98_500_000n);
    await account.close();
  });

  it("undoes what a failed transaction did, and is refused after close", async () => {
    const store = new MemoryStore();
    const totals = { seq: 1, balance: 9n, held: 0n, holds: 1, toppedUp: false, keysVersion: 0 };
    const entry = { seq: 1, at: 1, kind: "top_up", amount: "9", balance: "9", reference: "a" } as const;
    const hold = { id: 1, month: "2026-05", free: false, amount: 1n, expiresAt: 9 };
    const state = () =>
      store.read(async (reader) => ({
        totals: await reader.totals(),
        entries: await reader.entries({ afterSeq: 0, toSeq: 9, fromMs: 0, toMs: 9 }),
        topUp: await reader.hasTopUp("a"),
        hold: await reader.hold(1),
        rated: await reader.ratedCalls(),
        quota: await reader.quota("2026-05"),
      }));
    const fill = (work: () => void) =>
      store.transact(async (transaction) => {
        await transaction.removeHold(1);
        await transaction.saveTotals({ ...totals, balance: totals.balance + 1n });
        await transaction.append({ ...entry, seq: 2, reference: "b" });
        await transaction.saveHold({ ...hold, id: 2 });
        await transaction.addRatedCall(2);
        await transaction.saveQuota("2026-05", { used: 3, held: 0 });
        work();
      });
    await store.transact(async (transaction) => {
      await transaction.saveTotals(totals);
      await transaction.append(entry);
      await transaction.saveHold(hold);
      await transaction.addRatedCall(5);
    });
    const before = await state();
    expect(before).toMatchObject({ totals, entries: [entry], topUp: true, hold, rated: [5] });
    const failure = new Error("asked for");
    await expect(
      fill(() => {
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await state()).toEqual(before);
    await fill(() => {});
    expect(await state()).toMatchObject({ hold: undefined, rated: [2, 5], quota: { used: 3 } });
    await Promise.all([store.close(), store.close()]);
    await expect(state()).rejects.toMatchObject({ code: "account_closed" });
  });
});

describe("ten thousand calls at once", () => {
  it("leave the event loop its turns", async () => {
    const account = new LocalAccount(new SqliteStore(file), { limits: "off" });
    await charge(account, "first");
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    await Promise.all(Array.from({ length: 10_000 }, (_, i) => charge(account, `r${i}`)));
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    await account.close();
  });
});

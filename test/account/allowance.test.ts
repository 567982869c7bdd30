import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../src/account/account.js";
import { LocalAccount } from "../../src/account/local-account.js";
import type { AccountStore } from "../../src/account/store/account-store.js";
import { SqliteStore } from "../../src/account/store/sqlite-store.js";
import { micros } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/virtual-clock.js";

const COMMENTS = { id: "raw.short-video.comments", price: micros(1500n), freeEligible: false };
const SEARCH = { id: "search", price: micros(4000n), freeEligible: true };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-allowance-"));
  file = join(folder, "account.db");
});
afterEach(() => rm(folder, { recursive: true }));

const call = async (account: Account, request: string) =>
  (await account.hold(PRINCIPAL, COMMENTS, { requestId: request }))?.charge(request);

/** A store that counts the transactions that write. */
function counted(store: SqliteStore): { readonly store: AccountStore; readonly writes: () => number } {
  let writes = 0;
  return {
    writes: () => writes,
    store: {
      transact: (work, options) => {
        writes += 1;
        return store.transact(work, options);
      },
      appendCharge: (paid, month) => store.appendCharge(paid, month),
      read: (work) => store.read(work),
      close: () => store.close(),
    },
  };
}

describe("calls one after another, with funds for many", () => {
  it("reserve money for many calls in one transaction, and charge each in one statement", async () => {
    const machineClock = new VirtualClock("2026-05-01T00:00:00Z");
    const { store, writes } = counted(new SqliteStore(file));
    const account = new LocalAccount(store, { limits: "off", machineClock });
    for (let i = 0; i < 200; i++) {
      expect(await call(account, `r${i}`)).toMatchObject({ charged: 1500n, billed: true });
      await new Promise(setImmediate);
    }
    // Before: 400. A slow machine ends some turns of the event loop and allowances early.
    expect(writes()).toBeLessThan(100);
    expect((await account.state()).balance).toBe(100_000_000n - 200n * 1500n);
    await account.close();
  });

  it("do so with free calls too, and use exactly the quota", async () => {
    const machineClock = new VirtualClock("2026-05-01T00:00:00Z");
    const { store, writes } = counted(new SqliteStore(file));
    const account = new LocalAccount(store, { limits: "off", machineClock });
    for (let i = 0; i < 1010; i++) {
      const hold = await account.hold(PRINCIPAL, SEARCH, { requestId: `r${i}` });
      expect(await hold?.charge(`r${i}`)).toMatchObject({
        usedFreeQuota: i < 1000,
        freeQuotaRemaining: Math.max(0, 999 - i),
        balance: 100_000_000n - BigInt(Math.max(0, i - 999)) * 4000n,
      });
    }
    expect(writes()).toBeLessThan(700);
    await account.close();
  });

  it("give the event loop its turns though they never wait for I/O", async () => {
    const account = new LocalAccount(new SqliteStore(file), { limits: "off" });
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    for (let i = 0; i < 2000; i++) await call(account, `r${i}`);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(2);
    await account.close();
  });

  it("are charged once for one request id", async () => {
    const account = new LocalAccount(new SqliteStore(file), { limits: "off" });
    await call(account, "warm");
    for (let i = 0; i < 5; i++) expect(await call(account, "same")).toMatchObject({ charged: 1500n });
    expect((await account.state()).balance).toBe(100_000_000n - 3000n);
    await account.close();
  });
});

describe("two processes", () => {
  it("see each other's charges, whichever way they are written", async () => {
    const first = new LocalAccount(new SqliteStore(file), { limits: "off" });
    const second = new LocalAccount(new SqliteStore(file), { limits: "off" });
    for (let i = 1n; i <= 30n; i++) {
      const charge = await call(i % 3n === 0n ? second : first, `r${i}`);
      expect(charge?.balance).toBe(100_000_000n - i * 1500n);
    }
    await second.topUp(micros(1n));
    expect((await call(first, "last"))?.balance).toBe(100_000_001n - 31n * 1500n);
    const seqs: number[] = [];
    for await (const entry of first.entries()) seqs.push(entry.seq);
    expect(seqs).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
    await first.close();
    await second.close();
  });

  it("spend all there is: an idle one returns the money it reserved for further calls", async () => {
    const openingBalance = micros(400n * COMMENTS.price);
    const idle = new LocalAccount(new SqliteStore(file), { limits: "off", openingBalance });
    const busy = new LocalAccount(new SqliteStore(file), { limits: "off" });
    await call(idle, "idle");
    const running = await idle.hold(PRINCIPAL, COMMENTS);
    for (let i = 0; i < 398; i++) expect(await call(busy, `b${i}`)).toMatchObject({ billed: true });
    // The call that the idle process runs still holds its own price, and nothing else.
    const last = busy.hold(PRINCIPAL, COMMENTS);
    expect(await running?.charge("running")).toMatchObject({ billed: true, balance: 0n });
    expect(await last).toBeUndefined();
    await idle.close();
    await busy.close();
  });

  it("get the money of a killed one when its lease ends, and its late call is not charged", async () => {
    const machineClock = new VirtualClock("2026-05-01T00:00:00Z");
    const openingBalance = micros(100n * COMMENTS.price);
    const options = { limits: "off", openingBalance, machineClock } as const;
    const killed = new LocalAccount(new SqliteStore(file), options);
    const late = await killed.hold(PRINCIPAL, COMMENTS);
    const other = new LocalAccount(new SqliteStore(file), options);
    machineClock.advance(30_000);
    for (let i = 0; i < 100; i++) expect(await call(other, `o${i}`)).toMatchObject({ billed: true });
    await expect(late?.charge("late")).rejects.toMatchObject({ code: "insufficient_credits" });
    expect((await other.state()).balance).toBe(0n);
    await killed.close();
    await other.close();
  });
});

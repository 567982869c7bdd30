import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exportLedger } from "../../src/account/ledger-export.js";
import { openAccount } from "../../src/account/open-account.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { micros, parseUsd } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/virtual-clock.js";

const SEARCH = { id: "search", price: parseUsd("0.004"), freeEligible: true };
const COMMENTS = { id: "raw.short-video.comments", price: parseUsd("0.0015"), freeEligible: false };
const SLICES = { id: "datasets.slices", price: micros(0n), freeEligible: true };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let lake: string;
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-account-"));
});
afterEach(() => rm(lake, { recursive: true }));

async function bytesOfFolder(path: string): Promise<string> {
  const files = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name), "latin1")));
  return files.join("");
}

describe("entries", () => {
  it.each(["memory", "folder"])("are dated in their order from the opening on (%s)", async (kind) => {
    for (const first of ["topUp", "refuse"] as const) {
      let time = 0;
      const clock = { now: () => time++ };
      const folder = await mkdtemp(join(lake, "account-"));
      const account = kind === "memory" ? openMemoryAccount({ clock }) : await openAccount(folder, { clock });
      if (first === "topUp") await account.topUp("5");
      else await account.refuse(PRINCIPAL, { requestId: "r", code: "invalid_params", endpointId: undefined });
      const at: number[] = [];
      for await (const entry of account.entries()) at.push(entry.at);
      expect(at).toHaveLength(2);
      expect(at).toEqual(at.toSorted((a, b) => a - b));
      await account.close();
    }
  });
});

describe("charges", () => {
  it("use the free quota before the balance; the quota is back at 00:00 on the 1st in Singapore", async () => {
    const clock = new VirtualClock("2026-12-31T23:59:59+08:00");
    const account = openMemoryAccount({ clock, limits: "off" });
    for (let i = 0; i < 1000; i++) {
      const charge = await (await account.hold(PRINCIPAL, SEARCH))?.charge(`r${i}`);
      expect(charge).toMatchObject({ billed: false, usedFreeQuota: true, freeQuotaRemaining: 999 - i });
    }
    expect(await (await account.hold(PRINCIPAL, SEARCH))?.charge("paid")).toEqual({
      billed: true,
      charged: 4000n,
      usedFreeQuota: false,
      freeQuotaRemaining: 0,
      balance: parseUsd("99.996"),
    });
    clock.advance(1000);
    expect(await account.state()).toEqual({
      balance: 99_996_000n,
      freeQuotaRemaining: 1000,
      toppedUp: false,
    });
  });

  it("come from the balance where the endpoint is not free-eligible, and only as far as it reaches", async () => {
    const account = openMemoryAccount({ openingBalance: micros(1500n) });
    const hold = await account.hold(PRINCIPAL, COMMENTS);
    const waits = account.hold(PRINCIPAL, COMMENTS);
    await hold?.release("a");
    await (await waits)?.release("b");
    expect(await (await account.hold(PRINCIPAL, COMMENTS))?.charge("b")).toMatchObject({
      balance: 0n,
      charged: 1500n,
    });
    expect(await account.hold(PRINCIPAL, COMMENTS)).toBeUndefined();
    expect(await (await account.hold(PRINCIPAL, SLICES))?.charge("c")).toMatchObject({
      billed: false,
      charged: 0n,
    });
  });

  it("go to the quota after all when another call gave its free call back meanwhile", async () => {
    const account = openMemoryAccount({ limits: "off" });
    for (let i = 0; i < 999; i++) await (await account.hold(PRINCIPAL, SEARCH))?.charge(`r${i}`);
    const last = await account.hold(PRINCIPAL, SEARCH);
    const beyond = await account.hold(PRINCIPAL, SEARCH);
    await last?.release("empty");
    expect(await beyond?.charge("beyond")).toMatchObject({
      usedFreeQuota: true,
      charged: 0n,
      freeQuotaRemaining: 0,
    });
    expect((await account.state()).balance).toBe(parseUsd("100"));
  });

  it("count once for one request id, also while the first is under way and after a restart", async () => {
    const first = await openAccount(lake, { durability: "strict" });
    const holds = await Promise.all([1, 2, 3].map(() => first.hold(PRINCIPAL, COMMENTS)));
    const charges = await Promise.all(holds.map((hold) => hold?.charge("same")));
    for (const charge of charges) expect(charge).toMatchObject({ billed: true, charged: 1500n });
    expect((await first.state()).balance).toBe(parseUsd("99.9985"));
    expect(
      await (await first.hold({ ...PRINCIPAL, keyId: "key_other" }, COMMENTS))?.charge("same"),
    ).toMatchObject({
      balance: parseUsd("99.997"),
    });
    await first.close();

    const second = await openAccount(lake);
    expect(await (await second.hold(PRINCIPAL, COMMENTS))?.charge("same")).toMatchObject({ charged: 1500n });
    expect((await second.state()).balance).toBe(parseUsd("99.997"));
    await second.close();
  });

  it("settle a hold once", async () => {
    const account = openMemoryAccount();
    const hold = await account.hold(PRINCIPAL, COMMENTS);
    await hold?.charge("a");
    await expect(hold?.charge("a")).rejects.toMatchObject({ code: "hold_settled" });
    expect(await hold?.release("a")).toMatchObject({ billed: false, balance: parseUsd("99.9985") });
  });

  it("fall to calls, not to opening: an account that nothing was called on leaves no file", async () => {
    const idle = await openAccount(lake);
    const key = idle.sessionKey(["*"]);
    expect(await idle.authenticate(key)).toBeDefined();
    await idle.close();
    expect(await readdir(lake)).toEqual([]);
    await expect(idle.hold(PRINCIPAL, COMMENTS)).rejects.toMatchObject({ code: "account_closed" });
  });
});

describe("a hold", () => {
  it("that its process never settled counts until its lease is over, and no longer", async () => {
    const machineClock = new VirtualClock("2026-05-01T00:00:00Z");
    const options = { openingBalance: COMMENTS.price, machineClock } as const;
    const store = await openAccount(lake, options);
    const killed = await openAccount(lake, options);
    const lost = await killed.hold(PRINCIPAL, COMMENTS);
    const next = store.hold(PRINCIPAL, COMMENTS);
    const early = await Promise.race([next, sleep(100, "waits")]);
    expect(early).toBe("waits");
    machineClock.advance(30_000);
    expect(await (await next)?.charge("next")).toMatchObject({ billed: true, balance: 0n });
    // The slow call ends after all: its funds are gone, so it is not charged.
    await expect(lost?.charge("late")).rejects.toMatchObject({ code: "insufficient_credits" });
    await lost?.release("late", "insufficient_credits");
    expect((await store.state()).balance).toBe(0n);
    await store.close();
    await killed.close();
  });

  it("that outlived its lease is charged all the same where there are funds", async () => {
    const machineClock = new VirtualClock("2026-05-01T00:00:00Z");
    const account = openMemoryAccount({ openingBalance: micros(COMMENTS.price * 2n), machineClock });
    const slow = await account.hold(PRINCIPAL, COMMENTS);
    machineClock.advance(31_000);
    const holds = await Promise.all([1, 2].map(() => account.hold(PRINCIPAL, COMMENTS)));
    await holds[0]?.release("a");
    expect(await slow?.charge("slow")).toMatchObject({ billed: true });
    expect(await holds[1]?.charge("b")).toMatchObject({ billed: true, balance: 0n });
  });

  it("is given back when the account is closed", async () => {
    const first = await openAccount(lake, { openingBalance: COMMENTS.price });
    await first.hold(PRINCIPAL, COMMENTS);
    await first.close();
    const second = await openAccount(lake);
    expect(await (await second.hold(PRINCIPAL, COMMENTS))?.charge("a")).toMatchObject({ balance: 0n });
    await second.close();
  });

  it("that waits for funds does not get those that closing the account releases", async () => {
    const account = openMemoryAccount({ openingBalance: COMMENTS.price });
    await account.hold(PRINCIPAL, COMMENTS);
    const abort = new AbortController();
    const waits = account.hold(PRINCIPAL, COMMENTS);
    const behind = account.hold(PRINCIPAL, COMMENTS, { signal: abort.signal });
    const refused = [
      expect(waits).rejects.toMatchObject({ code: "account_closed" }),
      expect(behind).rejects.toThrow("enough"),
    ];
    await sleep(1);
    const closed = account.close();
    // An aborted call has the queue served again at once.
    abort.abort(new Error("enough"));
    await Promise.all([closed, ...refused]);
  });

  it("that waits for funds is given up with its signal", async () => {
    const account = openMemoryAccount({ openingBalance: COMMENTS.price });
    const hold = await account.hold(PRINCIPAL, COMMENTS);
    const abort = new AbortController();
    const waits = account.hold(PRINCIPAL, COMMENTS, { signal: abort.signal });
    const behind = account.hold(PRINCIPAL, COMMENTS);
    abort.abort(new Error("enough"));
    await expect(waits).rejects.toThrow("enough");
    await hold?.release("a");
    expect(await (await behind)?.charge("b")).toMatchObject({ balance: 0n });
  });
});

describe("10,000 concurrent calls with a balance for 4,321", () => {
  it.each(["memory", "relaxed", "strict"] as const)("%s: exactly those are charged", async (kind) => {
    const openingBalance = micros(4321n * COMMENTS.price + COMMENTS.price - 1n);
    const options = { limits: "off", openingBalance } as const;
    const account =
      kind === "memory"
        ? openMemoryAccount(options)
        : await openAccount(lake, { ...options, durability: kind });
    const outcomes = { charged: 0, refused: 0, empty: 0, failed: 0 };
    const call = async (i: number): Promise<void> => {
      const hold = await account.hold(PRINCIPAL, COMMENTS);
      if (hold === undefined) {
        await account.refuse(PRINCIPAL, { requestId: `r${i}`, code: "insufficient_credits" });
        outcomes.refused += 1;
        return;
      }
      await new Promise(setImmediate);
      // Some calls hold money for a while and give it back: no other call may be refused for that.
      if (i % 7 === 0) outcomes[(await hold.release(`r${i}`, "empty")).billed ? "charged" : "empty"] += 1;
      else if (i % 11 === 0)
        outcomes[(await hold.release(`r${i}`, "internal_error")).billed ? "charged" : "failed"] += 1;
      else if ((await hold.charge(`r${i}`)).billed) outcomes.charged += 1;
    };
    await Promise.all(Array.from({ length: 10_000 }, (_, i) => call(i)));
    expect(outcomes.charged).toBe(4321);
    expect(outcomes.refused + outcomes.empty + outcomes.failed).toBe(10_000 - 4321);
    expect(outcomes.refused).toBeGreaterThan(1000);
    let sum = 0n;
    let entries = 0;
    for await (const entry of account.entries()) {
      sum += BigInt(entry.amount);
      entries += 1;
    }
    expect(sum).toBe((await account.state()).balance);
    expect(sum).toBe(COMMENTS.price - 1n);
    expect(entries).toBe(10_001);
    await account.close();
  });
});

describe("top-ups", () => {
  it("lift the limit with the first, and add once for one reference", async () => {
    const account = openMemoryAccount();
    expect((await account.rate()).limit).toBe(60);
    expect(await account.topUp(parseUsd("5"), { reference: "invoice 1" })).toMatchObject({
      balance: parseUsd("105"),
      toppedUp: true,
    });
    await account.topUp(parseUsd("5"), { reference: "invoice 1" });
    expect((await account.state()).balance).toBe(parseUsd("105"));
    expect((await account.rate()).limit).toBe(600);
    // Text is dollars, as everywhere; it was taken for millionths of them.
    expect(await account.topUp("2.50")).toMatchObject({ balance: parseUsd("107.5") });
    await expect(account.topUp(null as never)).rejects.toMatchObject({ code: "invalid_amount" });
    await expect(account.topUp("1", { refrence: "a" } as never)).rejects.toThrow(/did you mean reference/);
    await expect(account.createKey({ nmae: "a" } as never)).rejects.toThrow(/scopes is missing/);
    await expect(account.topUp(micros(0n))).rejects.toMatchObject({ code: "invalid_amount" });
  });
});

describe("rate", () => {
  it("spans processes and restarts", async () => {
    const clock = new VirtualClock("2026-05-01T00:00:00Z");
    for (let i = 0; i < 60; i++) {
      const account = await openAccount(lake, { clock });
      expect(await account.takeRate(PRINCIPAL)).toMatchObject({ allowed: true, remaining: 59 - i });
      await (await account.hold(PRINCIPAL, SEARCH))?.release(`r${i}`, "empty");
      await account.close();
      clock.advance(500);
    }
    const account = await openAccount(lake, { clock });
    expect(await account.takeRate(PRINCIPAL)).toEqual({
      allowed: false,
      limit: 60,
      remaining: 0,
      retryAfterS: 30,
    });
    clock.advance(30_000);
    expect(await account.takeRate(PRINCIPAL)).toMatchObject({ allowed: true, remaining: 0 });
    await account.close();
  });

  it.each(["lake", "memory"])(
    "counts no call again that had left the window, in an account of %s",
    async (kind) => {
      const clock = new VirtualClock("2026-05-01T00:00:00Z");
      const account = kind === "memory" ? openMemoryAccount({ clock }) : await openAccount(lake, { clock });
      const asked = () => account.takeRate(PRINCIPAL);
      for (let i = 0; i < 60; i++) {
        clock.advance(60_000);
        expect(await asked()).toMatchObject({ allowed: true, remaining: 59 });
      }
      for (let i = 0; i < 3; i++) await asked();
      clock.advance(-3_600_000);
      expect(await account.rate()).toEqual({ allowed: true, limit: 60, remaining: 56, retryAfterS: 0 });
      expect(await asked()).toEqual({ allowed: true, limit: 60, remaining: 55, retryAfterS: 0 });
      for (let i = 0; i < 55; i++) await asked();
      expect(await asked()).toEqual({ allowed: false, limit: 60, remaining: 0, retryAfterS: 60 });
      clock.advance(60_000);
      expect(await asked()).toMatchObject({ allowed: true, remaining: 59 });
      await account.close();
    },
  );

  it("lets all through when limits are off, and still tells the numbers", async () => {
    const account = openMemoryAccount({ limits: "off", clock: new VirtualClock() });
    for (let i = 0; i < 100; i++) expect((await account.takeRate(PRINCIPAL)).allowed).toBe(true);
    expect(await account.takeRate(PRINCIPAL)).toEqual({
      allowed: true,
      limit: 60,
      remaining: 0,
      retryAfterS: 0,
    });
  });
});

it("lets others have their turns while usage is counted over many entries", async () => {
  const account = openMemoryAccount({ clock: new VirtualClock("2026-05-01T00:00:00Z") });
  for (let i = 0; i < 3500; i++) await account.topUp(micros(1n));
  let turns = 0;
  let isCounting = true;
  const turn = () => {
    turns++;
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await account.usage()).toEqual([]);
  isCounting = false;
  expect(turns).toBeGreaterThanOrEqual(4);
  await account.close();
});

describe("keys", () => {
  it("are random base62 behind a prefix, known by their digest alone", async () => {
    const account = await openAccount(lake);
    const created = await account.createKey({
      name: "notebook",
      scopes: ["search", "raw:short-video", "search"],
    });
    expect(created.apiKey).toMatch(/^ml_[0-9A-Za-z]{32}$/);
    expect(await bytesOfFolder(join(lake, "account"))).not.toContain(created.apiKey.slice(3));
    const principal = await account.authenticate(created.apiKey);
    expect(principal).toEqual({
      keyId: created.id,
      accountId: "acct_local",
      scopes: ["search", "raw:short-video"],
    });
    if (principal === undefined) return;
    expect(account.permits(principal, "raw:short-video")).toBe(true);
    expect(account.permits(principal, "raw:microblog")).toBe(false);
    expect(account.permits(principal, "*")).toBe(false);
    expect(JSON.stringify(account.listKeys())).not.toContain("sha256");
    await account.close();
  });

  it("live on after a restart, until they are revoked", async () => {
    const first = await openAccount(lake);
    const { apiKey, id } = await first.createKey({ scopes: ["*"] });
    const second = await openAccount(lake);
    expect((await second.authenticate(apiKey))?.keyId).toBe(id);
    await second.revokeKey(id);
    expect(await second.authenticate(apiKey)).toBeUndefined();
    expect(await first.authenticate(apiKey)).toBeUndefined();
    expect(await first.listKeys()).toMatchObject([{ id, revoked_at: expect.any(String) }]);
    await expect(first.revokeKey("key_nobody00")).rejects.toMatchObject({ code: "unknown_key" });
    await first.close();
    await second.close();
  });

  it("of a session are written nowhere", async () => {
    const account = await openAccount(lake);
    const apiKey = account.sessionKey(["search"]);
    await account.refuse(PRINCIPAL, { requestId: "a", code: "not_found" });
    expect((await account.authenticate(apiKey))?.keyId).toBe("session");
    expect(await account.listKeys()).toEqual([]);
    await account.close();
    expect(await (await openAccount(lake)).authenticate(apiKey)).toBeUndefined();
  });

  it("are not found by anything that is not one", async () => {
    const account = openMemoryAccount();
    const key = account.sessionKey(["*"]);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom("", key.slice(0, -1), `${key} `, key.toLowerCase())),
        async (other) => {
          expect(await account.authenticate(other)).toBeUndefined();
        },
      ),
    );
    expect(await account.authenticate(undefined)).toBeUndefined();
    expect(await account.authenticate(key)).toBeDefined();
  });

  it.each([[[]], [["raw:"]], [["raw:*"]], [["raw:Short"]], [["everything"]], [["search", ""]]])(
    "refuse the scopes %j",
    async (scopes) => {
      const account = openMemoryAccount();
      await expect(account.createKey({ scopes })).rejects.toMatchObject({ code: "invalid_scope" });
      expect(await account.listKeys()).toEqual([]);
    },
  );

  it("are equally likely in every character", async () => {
    let next = 0;
    const account = openMemoryAccount({
      random: (size) => Uint8Array.from({ length: size }, () => next++ % 256),
    });
    const counts = new Map<string, number>();
    for (let i = 0; i < 310; i++) {
      for (const character of account.sessionKey(["*"]).slice(3)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([160]));
  });
});

describe("usage and export", () => {
  it("tally by day of Singapore, endpoint and key, and list every entry", async () => {
    const clock = new VirtualClock("2026-05-31T23:59:00+08:00");
    const account = await openAccount(lake, { clock });
    await (await account.hold(PRINCIPAL, SEARCH))?.charge("a");
    await (await account.hold(PRINCIPAL, COMMENTS))?.charge("b");
    clock.advance(60_000);
    await (await account.hold(PRINCIPAL, COMMENTS))?.charge("c");
    await (await account.hold(PRINCIPAL, COMMENTS))?.release("d", "empty");
    await account.refuse(PRINCIPAL, { requestId: "e", code: "invalid_params", endpointId: "search" });
    await account.topUp(parseUsd("1"), { reference: 'gift, "spring"\n' });

    const none = { charged: 0, free: 0, empty: 0, errors: 0, spent: 0n };
    expect(await account.usage()).toEqual([
      {
        ...none,
        day: "2026-05-31",
        endpoint: COMMENTS.id,
        key: "key_test",
        calls: 1,
        charged: 1,
        spent: 1500n,
      },
      { ...none, day: "2026-05-31", endpoint: "search", key: "key_test", calls: 1, free: 1 },
      {
        ...none,
        day: "2026-06-01",
        endpoint: COMMENTS.id,
        key: "key_test",
        calls: 2,
        charged: 1,
        empty: 1,
        spent: 1500n,
      },
      { ...none, day: "2026-06-01", endpoint: "search", key: "key_test", calls: 1, errors: 1 },
    ]);
    expect(await account.usage({ by: [] })).toEqual([
      { calls: 5, charged: 2, free: 1, empty: 1, errors: 1, spent: 3000n },
    ]);
    expect(await account.usage({ by: ["day"], fromMs: Date.parse("2026-05-31T16:00:00Z") })).toMatchObject([
      { day: "2026-06-01", calls: 3 },
    ]);

    const text = async (format: "csv" | "jsonl"): Promise<string> => {
      let all = "";
      for await (const line of exportLedger(account.entries(), format)) all += line;
      return all;
    };
    const rows = (await text("jsonl"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(7);
    expect(rows[2]).toEqual({
      seq: 3,
      at: "2026-05-31T15:59:00.000Z",
      kind: "call",
      outcome: "charged",
      request_id: "b",
      endpoint: COMMENTS.id,
      key_id: "key_test",
      amount_usd: "-0.001500",
      balance_usd: "99.998500",
      error_code: null,
      quota_month: null,
      reference: null,
    });
    expect(await text("csv")).toContain(
      '7,2026-05-31T16:00:00.000Z,top_up,,,,,1.000000,100.997000,,,"gift, ""spring""\n"\r\n',
    );
    await account.close();
  });
});

import { describe, expect, it } from "vitest";
import { openMemoryAccount } from "../../src/account/local-account.js";
import { micros, parseUsd } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const SEARCH = { id: "search", price: parseUsd("0.004"), freeEligible: true };
const COMMENTS = { id: "raw.short-video.comments", price: parseUsd("0.0015"), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

describe("account", () => {
  it("uses the free quota before the balance and resets it at 00:00 on the 1st in Singapore", async () => {
    const clock = new VirtualClock("2026-12-31T23:59:59+08:00");
    const account = openMemoryAccount({ clock, limits: "off" });
    for (let i = 0; i < 1000; i++) {
      const charge = await account.hold(PRINCIPAL, SEARCH)?.charge(`r${i}`);
      expect(charge).toMatchObject({ billed: false, usedFreeQuota: true, freeQuotaRemaining: 999 - i });
    }
    expect(await account.hold(PRINCIPAL, SEARCH)?.charge("paid")).toEqual({
      billed: true,
      charged: 4000n,
      usedFreeQuota: false,
      freeQuotaRemaining: 0,
      balance: parseUsd("99.996"),
    });
    clock.advance(1000);
    expect(account.state()).toEqual({ balance: 99_996_000n, freeQuotaRemaining: 1000, toppedUp: false });
  });

  it("charges what is not free-eligible from the balance, and refuses what the balance does not cover", async () => {
    const account = openMemoryAccount({ openingBalance: micros(1500n) });
    const hold = account.hold(PRINCIPAL, COMMENTS);
    expect(account.hold(PRINCIPAL, COMMENTS)).toBeUndefined();
    hold?.release("a");
    expect(await account.hold(PRINCIPAL, COMMENTS)?.charge("b")).toMatchObject({
      balance: 0n,
      charged: 1500n,
    });
    expect(account.hold(PRINCIPAL, COMMENTS)).toBeUndefined();
  });
});

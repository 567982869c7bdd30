import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../src/account/account.js";
import type { LedgerEntry } from "../../src/account/ledger-entry.js";
import { type OpenAccountOptions, openAccount } from "../../src/account/open-account.js";
import { checkAccount, repairAccount } from "../../src/account/repair-account.js";
import { bridgeGaps } from "../../src/account/store/salvage-ledger.js";
import { withDatabase } from "../../src/account/store/sqlite-file.js";
import { parseUsd } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/virtual-clock.js";
import { rounds } from "../support/campaign.js";

const COMMENTS = { id: "raw.short-video.comments", price: parseUsd("0.0015"), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let lake: string;
let file: string;
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-damage-"));
  file = join(lake, "account", "account.db");
});
afterEach(() => rm(lake, { recursive: true }));

const opened = (options: OpenAccountOptions = {}): Promise<Account> =>
  openAccount(lake, { limits: "off", clock: new VirtualClock("2026-05-01T00:00:00Z"), ...options });

async function charge(account: Account, ...requests: readonly string[]): Promise<void> {
  const one = async (request: string) => (await account.hold(PRINCIPAL, COMMENTS))?.charge(request);
  await Promise.all(requests.map(one));
}

async function allEntries(account: Account): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for await (const entry of account.entries()) entries.push(entry);
  return entries;
}

/** An account with so many charges, one key and a top-up, closed. */
async function writeAccount(charges: number): Promise<void> {
  const account = await opened();
  await account.createKey({ scopes: ["search"] });
  await charge(account, ...Array.from({ length: charges }, (_, i) => `request-${i}`));
  await account.topUp(parseUsd("1"));
  await account.close();
}

/** Runs SQL on the account's file, behind its back. */
const alter = (sql: string): Promise<void> =>
  withDatabase(file, async (connection) => {
    connection.exec(sql);
  });

async function expectWhole(account: Account): Promise<LedgerEntry[]> {
  const entries = await allEntries(account);
  let sum = 0n;
  for (const [index, entry] of entries.entries()) {
    sum += BigInt(entry.amount);
    expect(entry).toMatchObject({ seq: index + 1, balance: sum.toString() });
  }
  expect((await account.state()).balance).toBe(sum);
  return entries;
}

describe("a database that is not ours to read", () => {
  it("of a newer format is refused", async () => {
    await writeAccount(1);
    await alter("UPDATE schema_version SET version = 2");
    await expect(opened()).rejects.toMatchObject({ code: "ledger_newer_format", value: 2 });
  });

  it("of another making is refused, and left as it is", async () => {
    await writeAccount(1);
    await writeFile(file, "something else entirely, and long enough to be taken for a header\n".repeat(99));
    const before = await readFile(file);
    await expect(opened()).rejects.toMatchObject({
      name: "LakeError",
      code: "ledger_corrupt",
      value: file,
      remedy: expect.stringContaining("mirrorlake account repair"),
    });
    await expect(repairAccount(lake)).rejects.toMatchObject({
      code: "ledger_corrupt",
      remedy: expect.not.stringContaining("account repair"),
    });
    expect(await readFile(file)).toEqual(before);
  });

  it.each([10, 100, 2000])(
    "with byte %i changed is refused by a repair, which leaves nothing, names what helps, and it does",
    async (at) => {
      await writeAccount(1);
      const bytes = await readFile(file);
      bytes[at]! ^= 0xff;
      await writeFile(file, bytes);
      const before = await readdir(dirname(file));
      await expect(repairAccount(lake)).rejects.toMatchObject({
        code: "ledger_corrupt",
        message: expect.stringContaining("nothing of it can be read"),
        remedy: `Restore the file from a backup, or move ${file}* elsewhere: the next call begins a new account.`,
      });
      expect(await readdir(dirname(file))).toEqual(before);
      for (const name of before) await rename(join(dirname(file), name), join(lake, name));
      const account = await opened();
      await charge(account, "a");
      await account.close();
      expect(await checkAccount(lake)).toBeUndefined();
    },
  );

  it("in a folder that cannot be made is refused", async () => {
    await writeFile(join(lake, "account"), "a file where the folder should be");
    const account = await opened();
    await expect(charge(account, "a")).rejects.toMatchObject({ code: "account_not_writable" });
    await account.close();
  });
});

describe("a repair", () => {
  it("of an account that cannot be looked at does not call it sound", async () => {
    await expect(repairAccount(join(lake, "l".repeat(300)))).rejects.toMatchObject({ code: "ENAMETOOLONG" });
    await expect(checkAccount(join(lake, "l".repeat(300)))).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  });

  it("that was being made when its process ended is sound, and starts over", async () => {
    await mkdir(dirname(file));
    await writeFile(file, "");
    expect(await checkAccount(lake)).toBeUndefined();
    const account = await opened();
    await charge(account, "one");
    await account.close();
    expect(await checkAccount(lake)).toBeUndefined();
  });

  it("changes nothing where nothing is wrong", async () => {
    await writeAccount(3);
    const before = await readFile(file);
    expect(await checkAccount(lake)).toBeUndefined();
    expect(await repairAccount(lake)).toEqual({ rewritten: [], lostEntries: 0, adjusted: 0n });
    const account = await opened();
    expect(await expectWhole(account)).toHaveLength(5);
    await account.close();
    expect((await stat(file)).size).toBe(before.length);
    expect(await readdir(join(lake, "account"))).not.toContain("damaged");
  });

  it("keeps what damaged pages leave, to the same balance, and the damaged file", async () => {
    await writeAccount(2000);
    const before = await readFile(file);
    const damaged = Buffer.from(before);
    // A page in the middle of the ledger: entries 900 and thereabouts are on it.
    const page = Math.floor(damaged.indexOf("commentsrequest-900") / 4096);
    damaged.fill(0x5a, page * 4096, (page + 1) * 4096);
    await writeFile(file, damaged);
    expect(await checkAccount(lake)).toMatchObject({ code: "ledger_corrupt" });
    const { rewritten, lostEntries } = await repairAccount(lake);
    expect(rewritten).toEqual([file]);
    expect(lostEntries).toBeGreaterThan(0);
    expect(lostEntries).toBeLessThan(100);
    expect(await readFile(join(lake, "account", "damaged", "account.db"))).toHaveLength(before.length);
    const account = await opened();
    const entries = await expectWhole(account);
    expect(entries).toHaveLength(2002);
    expect(entries.filter(({ kind }) => kind === "adjustment")).toHaveLength(lostEntries);
    expect(await account.state()).toMatchObject({ balance: parseUsd("98"), toppedUp: true });
    expect(await account.listKeys()).toHaveLength(1);
    await charge(account, "after");
    await account.close();
    expect(await checkAccount(lake)).toBeUndefined();
  });

  it.each([
    ["an amount", "UPDATE ledger SET amount = '-1501' WHERE seq = 3"],
    ["an amount that is none", "UPDATE ledger SET amount = 'x' WHERE seq = 3"],
    ["a running balance", "UPDATE ledger SET balance = '99997001' WHERE seq = 3"],
    ["the last running balance", "UPDATE ledger SET balance = '1' WHERE seq = 7"],
    ["the totals", "UPDATE account SET balance = '7'"],
    ["missing entries", "DELETE FROM ledger WHERE seq IN (3, 4, 7)"],
  ])("repairs %s that was changed behind the account's back", async (_, sql) => {
    await writeAccount(5);
    await alter(sql);
    expect(await checkAccount(lake)).toMatchObject({ code: "ledger_corrupt" });
    await repairAccount(lake);
    expect(await checkAccount(lake)).toBeUndefined();
    const account = await opened();
    await expectWhole(account);
    expect((await account.state()).balance).toBe(parseUsd("100.9925"));
    await account.close();
  });

  it("bridges whatever is lost, in order, without gaps, to the balance of the totals", () => {
    const amounts = fc.array(fc.bigInt({ min: -5000n, max: 5000n }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(amounts, fc.array(fc.nat({ max: 29 })), (values, lost) => {
        let balance = 0n;
        const entries = values.map((amount, index): LedgerEntry => {
          balance += amount;
          return {
            seq: index + 1,
            at: index,
            kind: "call",
            amount: String(amount),
            balance: String(balance),
          };
        });
        const left = entries.filter(({ seq }) => !lost.includes(seq));
        const totals = { seq: entries.length, balance, held: 0n, holds: 0, toppedUp: false, keysVersion: 0 };
        const whole = bridgeGaps({ totals, entries: left, keys: [], freeCalls: () => 0 });
        let sum = 0n;
        for (const [index, entry] of whole.entries.entries()) {
          sum += BigInt(entry.amount);
          expect([entry.seq, entry.balance]).toEqual([index + 1, String(sum)]);
        }
        expect(sum).toBe(balance);
        expect(whole.entries).toHaveLength(entries.length);
        expect(whole.lostEntries).toBe(entries.length - left.length);
      }),
      { numRuns: rounds(100) },
    );
  });
});

describe("a copy of the folder", () => {
  it("is an account of its own", async () => {
    await writeAccount(2);
    const other = await mkdtemp(join(tmpdir(), "mirrorlake-copy-"));
    await cp(lake, other, { recursive: true });
    const copy = await openAccount(other);
    await charge(copy, "in the copy");
    expect((await copy.state()).balance).toBe(parseUsd("100.9955"));
    expect((await (await opened()).state()).balance).toBe(parseUsd("100.997"));
    await copy.close();
    await rm(other, { recursive: true });
  });
});

describe("the file", () => {
  it.skipIf(process.platform === "win32")("is for its owner alone", async () => {
    await writeAccount(1);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect((await stat(join(lake, "account"))).mode & 0o077).toBe(0);
  });
});

/** Whether this system lets a test mount a small disk of its own. */
function canMount(): boolean {
  try {
    execFileSync("unshare", ["--mount", "--map-root-user", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a full disk", () => {
  it.skipIf(!canMount())("charges nothing, says so, and the next call is as before", async () => {
    const child = join(import.meta.dirname, "full-disk-child.js");
    const script = `mount -t tmpfs -o size=1m none ${lake} && exec ${process.execPath} ${child} ${lake}`;
    const out = execFileSync("unshare", ["--mount", "--map-root-user", "sh", "-c", script], {
      encoding: "utf8",
    });
    const { failures, balance, sum, charged, after } = JSON.parse(out);
    expect(failures).toEqual(["disk_full"]);
    expect(balance).toBe(sum);
    expect(BigInt(balance)).toBe(parseUsd("100") - BigInt(charged) * COMMENTS.price);
    expect(after).toBe("charged");
  });
});

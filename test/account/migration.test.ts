import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../src/account/account.js";
import { exportLedger } from "../../src/account/ledger-export.js";
import { openAccount } from "../../src/account/open-account.js";
import { VirtualClock } from "../../src/virtual-clock.js";

/** An account of release 0.1.0 (three segments, keys, a revoked one, top-ups, a month's turn), and what it said of itself. */
const OLD_LAKE = fileURLToPath(new URL("./fixtures/release-0.1.0", import.meta.url));
const expected = JSON.parse(await readFile(join(OLD_LAKE, "expected.json"), "utf8"));
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };
const COMMENTS = { id: "raw.short-video.comments", price: 1500n, freeEligible: false } as never;

let lake: string;
let notices: string[];
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-migration-"));
  await cp(OLD_LAKE, lake, { recursive: true });
  notices = [];
});
afterEach(() => rm(lake, { recursive: true }));

const opened = (): Promise<Account> =>
  openAccount(lake, {
    clock: new VirtualClock(expected.now),
    onNotice: (message) => notices.push(message),
  });

async function rows(account: Account): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of exportLedger(account.entries(), "jsonl")) lines.push(JSON.parse(line));
  return lines;
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)));

async function expectAll(account: Account): Promise<void> {
  expect(await rows(account)).toEqual(expected.ledger);
  expect(plain(await account.state())).toEqual(expected.state);
  expect(await account.rate()).toEqual(expected.rate);
  expect(await account.listKeys()).toEqual(expected.keys);
  expect(plain(await account.usage())).toEqual(expected.usage);
  const { notebook, server, revoked } = expected.apiKeys;
  expect((await account.authenticate(notebook))?.scopes).toEqual(["search", "raw:short-video"]);
  expect((await account.authenticate(server))?.scopes).toEqual(["*"]);
  expect(await account.authenticate(revoked)).toBeUndefined();
}

describe("an account of release 0.1.0", () => {
  it("is taken over whole, once, and its files are put aside", async () => {
    const account = await opened();
    await expectAll(account);
    expect(notices).toEqual([expect.stringContaining("before-sqlite")]);
    await account.close();
    const files = await readdir(join(lake, "account", "before-sqlite"));
    expect(files.sort()).toEqual([
      "keys.json",
      "ledger-000001.log",
      "ledger-000002.log",
      "ledger-000003.log",
      "lock",
    ]);
    expect((await readdir(join(lake, "account"))).filter((name) => !name.startsWith("account.db"))).toEqual([
      "before-sqlite",
    ]);

    const again = await opened();
    await expectAll(again);
    expect(notices).toHaveLength(1);
    const repeated = expected.ledger.findLast((row: { outcome: string }) => row.outcome === "charged");
    const principal = { ...PRINCIPAL, keyId: repeated.key_id };
    const charge = await (await again.hold(principal, COMMENTS))?.charge(repeated.request_id);
    expect(plain(charge)).toMatchObject({ billed: true, balance: expected.state.balance });
    expect(await rows(again)).toHaveLength(expected.ledger.length);
    await again.close();
  });

  it("is taken over once by processes that open it at the same time", async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, opened));
    for (const account of accounts) await expectAll(account);
    for (const account of accounts) await account.close();
  });

  it("loses nothing when the process ends between taking over and putting aside", async () => {
    const account = await opened();
    await (await account.hold(PRINCIPAL, COMMENTS))?.charge("after");
    await account.close();
    const aside = join(lake, "account", "before-sqlite");
    for (const name of await readdir(aside)) await rename(join(aside, name), join(lake, "account", name));
    const again = await opened();
    expect(await rows(again)).toHaveLength(expected.ledger.length + 1);
    expect((await readdir(join(lake, "account"))).filter((name) => name.endsWith(".log"))).toEqual([]);
    await again.close();
  });

  it("that an old release wrote beside a newer account is not said to be migrated", async () => {
    await (await opened()).close();
    await cp(OLD_LAKE, lake, { recursive: true });
    const account = await opened();
    await expectAll(account);
    await account.close();
    expect(notices).toEqual([
      expect.stringMatching(/^The account was migrated/),
      expect.stringMatching(
        /^Files of an account of release 0\.1\.0 were beside account\.db, .*before-sqlite/,
      ),
    ]);
  });

  it("without what a crash left unfinished at its end", async () => {
    await appendFile(join(lake, "account", "ledger-000003.log"), '0123abcd 114 {"seq":115');
    const account = await opened();
    await expectAll(account);
    await account.close();
  });

  it.each([
    ["in the middle", "ledger-000002.log", '"amount":"-1500"', '"amount":"-1501"'],
    ["at an end that was on disk", "ledger-000003.log", '"seq":114', '"seq":194'],
    ["in its keys", "keys.json", '"version": 1', '"version": 7'],
  ])("is refused with damage %s, and stays as it was", async (_, name, from, to) => {
    const path = join(lake, "account", name);
    await writeFile(path, (await readFile(path, "latin1")).replace(from, to), "latin1");
    const before = await readFile(path);
    await expect(opened()).rejects.toMatchObject({
      name: "LakeError",
      code: expect.stringMatching(/_corrupt$/),
    });
    await expect(opened()).rejects.toMatchObject({ code: expect.stringMatching(/_corrupt$/) });
    expect(await readFile(path)).toEqual(before);
    await cp(join(OLD_LAKE, "account", name), path);
    const account = await opened();
    await expectAll(account);
    await account.close();
  });
});

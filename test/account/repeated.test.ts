import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "../../src/account/account.js";
import type { AccountOptions } from "../../src/account/account-options.js";
import { openAccount } from "../../src/account/open-account.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import { micros } from "../../src/contract/money.js";
import { PostgresServer } from "../support/postgres-server.js";

const COMMENTS = { id: "raw.short-video.comments", price: micros(1500n), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let server: PostgresServer | undefined;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-repeated-"));
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

const KINDS: readonly (readonly [string, (options: AccountOptions) => Promise<Account>])[] = [
  ["in memory", async (options) => openMemoryAccount(options)],
  ["in a folder", (options) => openAccount(folder, options)],
  ["on PostgreSQL", (options) => openPostgresAccount(server!.address, options)],
];

describe.each(KINDS)("an account %s whose money is spent", (_, open) => {
  it("answers a call that is repeated by its request id, and charges nothing", async () => {
    const account = await open({ limits: "off", openingBalance: micros(3000n + 700n) });
    const call = async (requestId: string) =>
      (await account.hold(PRINCIPAL, COMMENTS, { requestId }))?.charge(requestId);
    for (const id of ["first", "second"]) await call(id);
    await expect(call("third")).resolves.toBeUndefined();
    for (let times = 0; times < 3; times += 1)
      expect(await call("first")).toMatchObject({ billed: true, charged: 1500n, balance: 700n });
    // While another call holds what is left.
    const together = await Promise.all(["first", "fourth", "second", "third", "first"].map(call));
    expect(together.map((charge) => charge?.charged)).toEqual([1500n, undefined, 1500n, undefined, 1500n]);
    expect((await account.state()).balance).toBe(700n);
    await account.close();
  });

  it("charges a call with the id of another one and other parameters for itself", async () => {
    const account = await open({ limits: "off" });
    await account.topUp(micros(6n * 1500n));
    const before = (await account.state()).balance;
    const call = async (requestId: string, digest?: string) =>
      (await account.hold(PRINCIPAL, COMMENTS, { requestId, digest }))?.charge(requestId);
    for (const [times, digest] of [[2, "one"], [3, "other"], [2]] as const)
      for (let time = 0; time < times; time += 1) await call("shared", digest);
    expect(before - (await account.state()).balance).toBe(4500n);
    await account.close();
  });
});

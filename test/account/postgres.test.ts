import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPostgresAccount } from "../../src/account/open-postgres-account.js";
import type { PostgresAddress } from "../../src/account/store/postgres/postgres-address.js";
import { openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { micros } from "../../src/contract/money.js";
import { capture } from "../cli/capture.js";
import { CAMPAIGN, rounds } from "../support/campaign.js";
import { count } from "../support/count.js";
import { PostgresServer } from "../support/postgres-server.js";
import { temporarySampleLake } from "../support/sample-lake.js";
import { drive, sequences, step } from "./drive-model.js";

const CHILD = fileURLToPath(new URL("./spend-child.js", import.meta.url));
const PRICE = 1500n;
const COMMENTS = { id: "raw.short-video.comments", price: micros(PRICE), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-spenders-"));
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => server.sql("DROP SCHEMA IF EXISTS mirrorlake CASCADE"));

/** A server of its own that spends; killed after so many answers, or asking again what fails, where that is asked for. */
async function spend(
  name: string,
  ids: readonly string[],
  funds: bigint,
  { killAfter, again, onAnswer }: { killAfter?: number; again?: boolean; onAnswer?: () => void } = {},
) {
  const idFile = join(folder, name);
  await writeFile(idFile, ids.join("\n"));
  const args = [CHILD, server.address, "strict", String(funds), idFile, "2000", ...(again ? ["again"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (data: Buffer) => {
    complaints += data.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const answers: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(line);
    onAnswer?.();
    if (answers.length === killAfter) child.kill("SIGKILL");
  }
  const code = await exited;
  if (child.signalCode === "SIGKILL") count("kills");
  return { answers, code, complaints };
}

describe("an account on PostgreSQL", () => {
  it("does what the reference model does, through restarts", { tags: "slow" }, async () => {
    await fc.assert(
      fc.asyncProperty(...sequences(step, 10), async (start, funds, steps) => {
        await server.sql("DROP SCHEMA IF EXISTS mirrorlake CASCADE");
        await drive(
          (clock) => openPostgresAccount(server.address, { clock, openingBalance: micros(funds) }),
          start,
          funds,
          steps,
        );
      }),
      { numRuns: rounds(2) },
    );
  });

  it("keeps the balance that it is opened with", async () => {
    for (const funds of [300n, 700n]) {
      const account = await openPostgresAccount(server.address, { openingBalance: micros(funds) });
      expect((await account.state()).balance).toBe(300n);
      await account.close();
    }
    const account = await openPostgresAccount(server.address);
    expect((await account.state()).balance).toBe(300n);
    await account.close();
  });

  it("is spent by several servers, some killed, to the last micro-dollar and no further", {
    tags: "slow",
  }, async () => {
    const [servers, calls, affordable] = CAMPAIGN ? [8, 1250, 4321] : [3, 60, 73];
    const funds = BigInt(affordable) * PRICE + 700n;
    const runs = await Promise.all(
      Array.from({ length: servers }, (_, n) => {
        const ids = Array.from({ length: calls }, (_, i) => `s${n}-${i}`);
        return spend(`s${n}`, ids, funds, { killAfter: n % 3 === 0 ? 7 : undefined });
      }),
    );
    for (const [n, { code, complaints }] of runs.entries())
      if (n % 3 !== 0) expect([code, complaints]).toEqual([0, ""]);
    // What the killed ones held comes back when its lease ends; another server spends what is left.
    const rest = Array.from({ length: affordable }, (_, i) => `rest-${i}`);
    const last = await spend("rest", rest, funds);
    const charged = new Set(
      [...runs, last].flatMap(({ answers }) => answers).filter((line) => line.endsWith("charged")),
    );
    const entries = await server.sql(
      "SELECT request_id FROM mirrorlake.ledger WHERE outcome = 'charged' ORDER BY seq",
    );
    count("charges", entries.length);
    expect(new Set(entries).size).toBe(entries.length);
    expect(entries).toHaveLength(affordable);
    for (const line of charged) expect(entries).toContain(line.split(" ")[0]);
    expect(await server.sql("SELECT balance, held FROM mirrorlake.account")).toEqual(["700|0"]);
  });

  it("goes on after its database has crashed; a call that asks again is charged once", async () => {
    const account = await openPostgresAccount(server.address, {
      limits: "off",
      openingBalance: micros(PRICE * 50n),
    });
    const charge = async (request: string) => {
      const hold = await account.hold(PRINCIPAL, COMMENTS, { requestId: request });
      return hold!.charge(request);
    };
    await charge("before");
    const asked = Array.from({ length: 20 }, (_, i) => `during-${i}`);
    const during = asked.map((request) =>
      charge(request).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    await server.crash();
    await server.up();
    for (const error of await Promise.all(during))
      if (error !== undefined)
        expect(error).toMatchObject({
          name: "LakeError",
          code: expect.stringMatching(/^account_(?:commit_unknown|unreachable|busy)$/),
        });
    for (const request of [...asked, "after"]) await charge(request);
    const charged = await server.sql("SELECT request_id FROM mirrorlake.ledger WHERE outcome = 'charged'");
    expect(charged.toSorted()).toEqual(["before", ...asked, "after"].toSorted());
    await account.close();
  });

  it("restarts under several servers: each call that asks again is charged once, and none is lost", {
    tags: "slow",
  }, async () => {
    const [servers, calls, crashes] = CAMPAIGN ? [8, 600, 5] : [3, 40, 1];
    const funds = BigInt(servers * calls) * PRICE + 700n;
    let [answered, crashed] = [0, 0];
    let restarting = Promise.resolve();
    // One that opens the account while PostgreSQL is away ends at once.
    const opened = new Set<number>();
    const onAnswer = (n: number) => {
      opened.add(n);
      answered += 1;
      if (crashed === crashes || opened.size < servers) return;
      if (answered < ((crashed + 1) * servers * calls) / (crashes + 2)) return;
      crashed += 1;
      restarting = restarting.then(() => server.crash()).then(() => server.up());
    };
    const runs = await Promise.all(
      Array.from({ length: servers }, (_, n) => {
        const ids = Array.from({ length: calls }, (_, i) => `r${n}-${i}`);
        return spend(`r${n}`, ids, funds, { again: true, onAnswer: () => onAnswer(n) });
      }),
    );
    await restarting;
    expect(crashed).toBe(crashes);
    for (const { code, complaints } of runs) expect([code, complaints]).toEqual([0, ""]);
    const charged = runs.flatMap(({ answers }) => answers.map((line) => line.split(" ")));
    expect(charged.every(([, outcome]) => outcome === "charged")).toBe(true);
    const entries = await server.sql("SELECT request_id FROM mirrorlake.ledger WHERE outcome = 'charged'");
    count("charges", entries.length);
    expect(entries.toSorted()).toEqual(charged.map(([id]) => id).toSorted());
    expect(entries).toHaveLength(servers * calls);
    expect(await server.sql("SELECT balance FROM mirrorlake.account")).toEqual(["700"]);
  });

  it("says what is wrong, without the password", async () => {
    const opened = (address: string) =>
      openPostgresAccount(address).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    const nobody = await opened("postgres://me:secret@127.0.0.1:1/none");
    expect(nobody).toMatchObject({ code: "account_unreachable", value: "postgres://me@127.0.0.1:1/none" });
    const stranger = await opened(server.address.replace("lake@", "secret@"));
    expect(stranger).toMatchObject({ name: "LakeError", code: "account_not_writable" });
    for (const error of [nobody, stranger])
      expect(`${error} ${JSON.stringify(error)}`).not.toContain("secret");
    expect(await opened(server.address)).toBeUndefined();
    await server.sql("UPDATE mirrorlake.schema_version SET version = 99");
    expect(await opened(server.address)).toMatchObject({ code: "ledger_newer_format", value: 99 });
  });

  it("says what is wrong with an address, a password, TLS and a replica", async () => {
    const { port } = server;
    const refused = async (address: string) => {
      const error = await openPostgresAccount(address as PostgresAddress).then(
        (account) => account.topUp("1").finally(() => account.close()),
        (error: unknown) => error,
      );
      return error as Error;
    };
    for (const password of ["se@c/ret", "se:c?ret", "1#se@ret", "1?ret", "/ret"]) {
      const unread = await refused(`postgres://mirror:${password}@127.0.0.1:${port}/postgres`);
      expect(unread).toMatchObject({ code: "invalid_account", remedy: expect.stringContaining("%40") });
      expect(`${inspect(unread)} ${JSON.stringify(unread)}`).not.toMatch(/ret[@\s"']/);
    }
    expect(await refused(`postgres://mirror:lake@/postgres?host=${folder}`)).toMatchObject({
      code: "account_unreachable",
    });
    expect(await refused(`postgres://mirror@127.0.0.1:${port}/postgres`)).toMatchObject({
      code: "account_not_writable",
      remedy: expect.stringContaining("password"),
    });
    expect(await refused(`${server.address}?sslmode=verify-full`)).toMatchObject({
      code: "account_not_writable",
      remedy: expect.stringContaining("sslmode"),
    });
    await server.sql("CREATE DATABASE replica");
    await server.sql("ALTER DATABASE replica SET default_transaction_read_only = on");
    expect(await refused(server.address.replace(/postgres$/, "replica"))).toMatchObject({
      code: "account_not_writable",
      remedy: expect.stringContaining("the primary"),
    });
  });

  it("may be in a database of any name", async () => {
    const name = "a/b?c#d;e@f:g%h&i=j+k,l$ é";
    await server.sql(`CREATE DATABASE "${name}"`);
    const address: PostgresAddress = `postgres://mirror:lake@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
    const account = await openPostgresAccount(address, { openingBalance: micros(7n) });
    await account.close();
    expect(await server.sql("SELECT balance FROM mirrorlake.account", address)).toEqual(["7"]);
    const unread = await openPostgresAccount(`${server.address}%`).catch((error: unknown) => error);
    expect(unread).toMatchObject({ code: "invalid_account", remedy: expect.stringContaining("%25") });
  });

  it("is one account for keys that one server makes and another checks", async () => {
    const [one, other] = await Promise.all([1, 2].map(() => openPostgresAccount(server.address)));
    const key = await one!.createKey({ scopes: ["search"], name: "shared" });
    expect(await other!.authenticate(key.apiKey)).toMatchObject({ keyId: key.id });
    await other!.revokeKey(key.id);
    expect(await one!.authenticate(key.apiKey)).toBeUndefined();
    await one!.topUp(micros(5n), { reference: "invoice-1" });
    await other!.topUp(micros(5n), { reference: "invoice-1" });
    expect(await one!.state()).toMatchObject({ balance: 100_000_005n });
    await Promise.all([one!.close(), other!.close()]);
  });

  it("is named by an address, in a program and on the command line", async () => {
    const built = await temporarySampleLake();
    const options = { account: server.address, readOnly: true } as const;
    const lakes = await Promise.all([1, 2].map(() => openLake(built.path, options)));
    const balances = [];
    for (const lake of lakes) {
      const { meta } = await lake.raw("short-video", "comments", { item_id: SAMPLES.itemId });
      balances.push(meta.charged_usd);
    }
    expect(balances).toEqual(["0.001500", "0.001500"]);
    for (const lake of lakes) await lake.close();
    await built.remove();
    const account = ["--account", server.address, "--json"];
    const shown = await capture(["account", "show", ...account], { cwd: folder });
    expect(JSON.parse(shown.out)).toMatchObject({ balance_usd: "99.997000" });
    const created = await capture(["keys", "create", "--name", "ci", "--json"], {
      cwd: folder,
      env: { MIRRORLAKE_ACCOUNT: server.address },
    });
    expect(created.code, created.err).toBe(0);
    const listed = await capture(["keys", "list", ...account], { cwd: folder });
    expect(JSON.parse(listed.out)).toMatchObject([{ name: "ci" }]);
    const wrong = await capture(["keys", "list", "--account", "mysql://me:secret@db/x"], { cwd: folder });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("invalid_account")]);
    expect(wrong.err).not.toContain("secret");
  });
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { withDatabase } from "../../src/account/store/sqlite-file.js";
import { parseUsd } from "../../src/contract/money.js";
import { capture } from "./capture.js";

let lake: string;
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-cli-account-"));
  await writeFile(join(lake, "mirrorlake.json"), '{"formatVersion":1}');
});
afterEach(() => rm(lake, { recursive: true }));

async function run(...args: readonly string[]) {
  return capture(args, { env: { MIRRORLAKE_LAKE: lake } });
}

async function json(...args: readonly string[]) {
  const { code, out, err } = await run(...args, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

async function spend(): Promise<void> {
  const account = await openAccount(lake, { clock: { now: () => Date.parse("2026-05-31T17:00:00Z") } });
  const principal = { keyId: "key_a1b2c3d4", accountId: account.accountId, scopes: ["*"] };
  const search = { id: "search", price: parseUsd("0.004"), freeEligible: true };
  const comments = { id: "raw.short-video.comments", price: parseUsd("0.0015"), freeEligible: false };
  await (await account.hold(principal, search))?.charge("one");
  await (await account.hold(principal, comments))?.charge("two");
  await (await account.hold(principal, comments))?.release("three", "empty");
  await account.close();
}

describe("keys", () => {
  test("are created, listed and revoked", async () => {
    const key = await json("keys", "create", "--scope", "search,raw:microblog", "--name", "notebook");
    expect(key).toMatchObject({ name: "notebook", scopes: ["search", "raw:microblog"] });
    expect(key.api_key).toMatch(/^ml_[0-9A-Za-z]{32}$/);

    const listed = await run("keys", "list");
    expect(listed.out).toContain(key.id);
    expect(listed.out).toContain("search, raw:microblog");
    expect(listed.out).not.toContain(key.api_key);

    expect((await run("keys", "revoke", key.id)).out).toBe(`Revoked ${key.id} (notebook).\n`);
    expect(await json("keys", "list")).toEqual([]);
    expect(await json("keys", "list", "--all")).toMatchObject([
      { id: key.id, revoked_at: expect.any(String) },
    ]);
    expect((await run("keys", "list")).out).toContain("mirrorlake keys create");
  });

  test("have every scope unless told otherwise, and none that does not exist", async () => {
    expect(await json("keys", "create")).toMatchObject({ scopes: ["*"] });
    const wrong = await run("keys", "create", "--scope", "everything");
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('Unknown scope "everything"');
    expect(await json("keys", "list")).toHaveLength(1);
  });

  test("that are unknown cannot be revoked", async () => {
    const { code, err } = await run("keys", "revoke", "key_00000000");
    expect(code).toBe(1);
    expect(err).toContain("unknown_key");
  });
});

describe("account", () => {
  test("shows the sandbox balance, and what a top-up changes, once for one reference", async () => {
    expect(await json("account", "show")).toMatchObject({
      balance_usd: "100.000000",
      topped_up: false,
      free_quota: {
        limit: 1000,
        remaining: 1000,
        resets_at: expect.stringMatching(/-(30|31|28|29)T16:00:00.000Z$/),
      },
      rate: { limit: 60, remaining: 60, window_s: 60 },
    });
    expect((await run("account", "topup", "9.99", "--reference", "a")).out).toBe(
      "Balance $109.99, 600 calls a minute.\n",
    );
    expect(await json("account", "topup", "9.99", "--reference", "a")).toMatchObject({
      balance_usd: "109.990000",
      topped_up: true,
    });
    expect((await run("account", "show")).out).toContain("Balance     $109.99");
  });

  test.each(["0", "-1", "1.0000001", "ten"])("takes no top-up of %s", async (amount) => {
    const { code, err } = await run("account", "topup", "--", amount);
    expect(code).toBe(2);
    expect(err).toContain("invalid_amount");
  });

  test("counts usage by what it is asked for", async () => {
    await spend();
    expect(await json("account", "usage", "--by", "endpoint")).toEqual({
      items: [
        {
          endpoint: "raw.short-video.comments",
          calls: 2,
          charged: 1,
          free: 0,
          empty: 1,
          errors: 0,
          spent_usd: "0.001500",
        },
        { endpoint: "search", calls: 1, charged: 0, free: 1, empty: 0, errors: 0, spent_usd: "0.000000" },
      ],
      calls: 3,
      spent_usd: "0.001500",
    });
    const { out } = await run("account", "usage", "--by", "day", "key");
    expect(out).toContain("2026-06-01  key_a1b2c3d4      3");
    expect((await run("account", "usage", "--to", "2026-05-31")).out).toBe("No call.\n");
    const day = ["--from", "2026-06-01", "--to", "2026-06-01"];
    expect(await json("account", "usage", ...day)).toMatchObject({ calls: 3 });
    expect((await run("account", "export", ...day)).out.match(/"kind":"call"/g)).toHaveLength(3);
    expect((await run("account", "export", "--to", "2026-05-31")).out).not.toContain('"kind":"call"');
    expect((await run("account", "usage", "--from", "May")).code).toBe(2);
  });

  test("exports the ledger to standard output and to a file", async () => {
    await spend();
    const { out } = await run("account", "export");
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map((row) => row.outcome)).toEqual([null, "free_quota", "charged", "empty"]);
    const file = `${lake}-ledger.csv`;
    expect(await json("account", "export", "--format", "csv", "--out", file)).toEqual({ file, entries: 4 });
    try {
      expect((await readFile(file, "utf8")).split("\r\n")).toHaveLength(6);
    } finally {
      await rm(file);
    }
    const database = join(lake, "account", "account.db");
    const refused = await run("account", "export", "--json", "--out", database);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "file_in_lake" } });
    expect(await json("account", "show")).toMatchObject({ balance_usd: "99.998500" });
  });

  test("repairs a damaged ledger", async () => {
    await spend();
    const path = join(lake, "account", "account.db");
    expect((await run("account", "repair")).out).toBe("The ledger is intact.\n");
    await withDatabase(path, async (connection) => {
      connection.exec("UPDATE ledger SET amount = '-15' WHERE outcome = 'charged'");
    });
    expect(await json("account", "repair")).toEqual({
      rewritten: [path],
      lost_entries: 1,
      adjusted_usd: "-0.001500",
    });
    expect(await json("account", "show")).toMatchObject({ balance_usd: "99.998500" });
    expect((await run("account", "repair")).out).toBe("The ledger is intact.\n");
  });

  test("says of a file that is no database what to do", async () => {
    await mkdir(join(lake, "account"));
    await writeFile(
      join(lake, "account", "account.db"),
      "no database, but long enough for a header ".repeat(99),
    );
    const refused = await run("account", "show");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("mirrorlake account repair");
  });
});

test("a folder that is no lake gets no account", async () => {
  const { code, err } = await capture(["keys", "create", "--lake", join(lake, "typo")]);
  expect(code).toBe(1);
  expect(err).toContain("lake_not_found");
});

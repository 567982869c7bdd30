import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLake } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("./permissions-child.js", import.meta.url));
const MODEL = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";
const FLAGS = [MODEL, "--allow-fs-read=*", "--allow-fs-write=*"];
const ADDONS = "--allow-addons";
/** Whether files can be synced to disk under the model: without it nothing is written. */
const SYNCS = Number.parseInt(process.versions.node, 10) < 26;
const NOT_SYNCED = {
  name: "UsageError",
  code: "sync_not_allowed",
  remedy: expect.stringContaining("without --permission"),
  cause: "ERR_ACCESS_DENIED",
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-permissions-"));
  await createLake(join(dir, "small"), [{ platform: "forum", lang: "en", text: "coffee" }], {
    capturedAt: "2026-01-01T00:00:00Z",
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function run(flags: readonly string[], what: string, lake: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, ...flags, CHILD, what, lake]);
  return JSON.parse(stdout);
}

test.each(["query", "build"])(
  "a %s without native code says which flag of Node.js it needs",
  async (what) => {
    const lake = join(dir, what === "query" ? "small" : "none");
    const notLoaded = {
      name: "UsageError",
      code: "addons_not_allowed",
      remedy: expect.stringContaining("--allow-addons"),
      cause: "ERR_DLOPEN_DISABLED",
    };
    expect(await run([], what, lake)).toEqual(what === "query" || SYNCS ? notLoaded : NOT_SYNCED);
    expect(existsSync(join(dir, "none"))).toBe(false);
  },
);

test("a build that cannot be synced to disk says so, and leaves nothing", async () => {
  const lake = join(dir, "unsynced");
  expect(await run([ADDONS, "--allow-worker"], "unsynced", lake)).toEqual(NOT_SYNCED);
  expect(existsSync(lake)).toBe(false);
});

test("a query says which flag of Node.js it needs, and runs with it", async () => {
  const lake = join(dir, "small");
  expect(await run([ADDONS], "query", lake)).toEqual({
    name: "SqlError",
    code: "sql_process_failed",
    remedy: expect.stringContaining("--allow-child-process"),
    cause: "ERR_ACCESS_DENIED",
  });
  expect(await run([ADDONS, "--allow-child-process"], "query", lake)).toEqual({ code: "none" });
});

test("a build in threads says which flag of Node.js it needs, leaves no lake, and runs with it", {
  tags: "slow",
}, async () => {
  const lake = join(dir, "built");
  const notStarted = {
    name: "SearchError",
    code: "thread_not_started",
    remedy: expect.stringContaining("--allow-worker"),
    cause: "ERR_ACCESS_DENIED",
  };
  expect(await run([ADDONS], "build", lake)).toEqual(SYNCS ? notStarted : NOT_SYNCED);
  expect(existsSync(lake)).toBe(false);
  const built = SYNCS ? { code: "none" } : NOT_SYNCED;
  expect(await run([ADDONS, "--allow-worker"], "build", lake)).toEqual(built);
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiKeyInfo } from "../../src/account/api-key.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { capture } from "./capture.js";

/** The command line as it is built: what it prints to is the process's own. */
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
beforeAll(() => expect(existsSync(MAIN), "run `npm run build` first").toBe(true));

const NAMESPACE = ["unshare", "--mount", "--map-root-user"] as const;

/** Why this system lets no test mount a disk; undefined where it does. */
function noDisks(): string | undefined {
  const { status, stderr, error } = spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
const obstacle = noDisks();

/** Runs a command line of a shell in a mount namespace, where `/mnt` is a disk that is full. */
function onFullDisk(line: string) {
  const script = `mount -t tmpfs -o size=4k none /mnt && printf %4096s x > /mnt/fill && exec ${process.execPath} ${MAIN} ${line}`;
  return spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "sh", "-c", script], { encoding: "utf8" });
}

describe.skipIf(obstacle !== undefined)(
  `a full disk${obstacle === undefined ? "" : ` (not here: ${obstacle})`}`,
  () => {
    test.each(["completion bash", "ingest --explain comment --json"])(
      "ends %s with one line and its remedy",
      (args) => {
        const { status, stderr } = onFullDisk(`${args} > /mnt/out`);
        expect(stderr).toBe(
          "Error disk_full: Standard output cannot be written: no space left on device\n" +
            "  free some space or send the output elsewhere, then run it again\n",
        );
        expect(status).toBe(1);
      },
    );

    test("under standard error ends a command too", () => {
      const { status, stdout } = onFullDisk("search 2> /mnt/err");
      expect(stdout).toBe("");
      expect(status).toBe(1);
    });
  },
);

test("standard output that takes nothing ends a command with one line and its remedy", () => {
  const reading = openSync(MAIN, "r");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "completion", "bash"], {
    stdio: ["ignore", reading, "pipe"],
    encoding: "utf8",
  });
  closeSync(reading);
  expect(stderr).toBe(
    "Error not_writable: Standard output cannot be written: bad file descriptor\n" +
      "  send the output to a file or a program that takes it, then run it again\n",
  );
  expect(status).toBe(1);
});

/** Runs command lines, each with the reader of its output gone before it writes, and returns their exit codes. */
function withoutReader(redirected: string, args: string): string {
  const line = `{ sleep 0.2; "${process.execPath}" "${MAIN}" ${args} ${redirected}; echo "ended with $?" >&3; } | true`;
  return spawnSync("sh", ["-c", line], { stdio: ["ignore", "pipe", "pipe", "pipe"], encoding: "utf8" })
    .output[3]!;
}

test.each([
  ["", "completion bash", 0],
  ["", "sync --lake /nothing/lake --lock /nothing/lock --check --json", 1],
  ["2>&1", "install /nothing --lake /nothing/lake", 1],
  ["2>&1", "serve --no-such-option", 2],
])("a reader that is gone leaves a command (%s) its exit code: %s", (redirected, args, code) => {
  expect(withoutReader(redirected, args)).toBe(`ended with ${code}\n`);
});

describe("a key that cannot be shown", () => {
  let built: TemporaryLake;
  beforeAll(async () => {
    built = await temporarySampleLake();
  });
  afterAll(() => built.remove());
  const keys = async (args: readonly string[]) =>
    JSON.parse(
      (await capture(["keys", "list", ...args, "--json", "--lake", built.path])).out,
    ) as ApiKeyInfo[];
  const create = (redirected: string, args: string) =>
    spawnSync(
      "sh",
      ["-c", `"${process.execPath}" "${MAIN}" keys create ${args} --lake "${built.path}" ${redirected}`],
      { encoding: "utf8" },
    );

  test.each(["", "--json"])("is revoked, and said to be (%s)", async (json) => {
    const before = await keys(["--all"]);
    const { status, stderr } = create("> /dev/full", `--name full ${json}`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error disk_full: Standard output cannot be written: no space left on device/);
    const [made, ...others] = await keys(["--all"]);
    expect(others).toEqual(before);
    expect(made).toMatchObject({ name: "full", revoked_at: expect.any(String) });
    if (json === "")
      expect(stderr).toContain(`Key ${made!.id}, which was not shown, is revoked\n  free some space`);
  });

  test.each(["", "--json"])("for want of a reader is revoked (%s)", async (json) => {
    const args = `keys create --name gone ${json} --lake "${built.path}"`;
    expect(withoutReader("", args)).toBe("ended with 1\n");
    const [made] = await keys(["--all"]);
    expect(made).toMatchObject({ name: "gone", revoked_at: expect.any(String) });
  });

  test("is kept where it is shown", async () => {
    const { status, stdout } = create("", "--name shown --json");
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as { api_key: string }).api_key).toMatch(/^ml_/);
    expect((await keys([]))[0]).toMatchObject({ name: "shown" });
  });
});

test.each(["", "--json"])("a top-up that cannot be shown is said to be made (%s)", async (json) => {
  const built = await temporarySampleLake();
  const line = `"${process.execPath}" "${MAIN}" account topup 5 ${json} --lake "${built.path}"`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `${line} > /dev/full`], { encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^Error disk_full: Standard output cannot be written: no space left on device/);
  if (json === "")
    expect(stderr).toMatch(
      /\. The top-up was made, the balance is \$105\.00\n.*, then see it by account show\n$/,
    );
  expect(withoutReader("", `account topup 5 ${json} --lake "${built.path}"`)).toBe("ended with 0\n");
  const { out } = await capture(["account", "show", "--json", "--lake", built.path]);
  expect(JSON.parse(out)).toMatchObject({ balance_usd: "110.000000" });
  await built.remove();
});

test("a reader that closes early is no error", () => {
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", `{ "${process.execPath}" "${MAIN}" completion bash; echo "ended with $?" >&2; } | head -c 5`],
    { encoding: "utf8" },
  );
  expect({ status, stdout: stdout.length, stderr }).toEqual({
    status: 0,
    stdout: 5,
    stderr: "ended with 0\n",
  });
});

test("a server goes on without the reader of its log, and stops when it is told", {
  tags: "slow",
}, async () => {
  const built = await temporarySampleLake();
  const args = [
    MAIN,
    "serve",
    "--lake",
    built.path,
    "--port",
    "0",
    "--no-console",
    "--log",
    "json",
    "--json",
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    child.stderr.destroy();
    for (let n = 0; n < 5; n++) expect((await fetch(`${url}/v1/nothing`)).status).toBe(401);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    await built.remove();
  }
});

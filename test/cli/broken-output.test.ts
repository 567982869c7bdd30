import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

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

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());

const CHILD = join(import.meta.dirname, "full-disk-child.js");

const NAMESPACE = ["unshare", "--mount", "--map-root-user"] as const;

/** Why this system lets no test mount a disk; undefined where it does. */
function noDisks(): string | undefined {
  const { status, stderr, error } = spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** Runs the child in a mount namespace, where `/mnt` is a small disk. */
function onSmallDisk(): string {
  const script = `mount -t tmpfs -o size=60m none /mnt && exec ${process.execPath} ${CHILD} ${built.path} /mnt "${SAMPLES.query}"`;
  return execFileSync(NAMESPACE[0], [...NAMESPACE.slice(1), "sh", "-c", script], { encoding: "utf8" });
}

const obstacle = noDisks();

// Where no disk can be mounted, test/evolution/faults.test.ts and test/files/writing-to.test.ts have the same with injected faults.
test.skipIf(obstacle !== undefined)(
  `a lake on a full disk is read, says what is missing, and works at once when there is space${obstacle === undefined ? "" : ` (not here: ${obstacle})`}`,
  { tags: "slow" },
  () => {
    const out = onSmallDisk();
    expect(JSON.parse(out)).toEqual({
      opened: [
        "The disk of /mnt/lake is full, 0 B is free: calls use an account in memory, without the lake's own keys and balance",
      ],
      found: true,
      counted: true,
      exported: ["disk_full", "disk_full", "disk_full", "disk_full"],
      installed: "disk_full",
      compacted: "disk_full",
      removed: "disk_full",
      verified: "disk_full",
      recorded: "disk_full",
      leftovers: [],
      charged: "service_unavailable: the disk is full",
      chargedInMs: true,
      chargedAgain: "answered",
      doctor: "disk_space",
    });
  },
);

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DEMO_STEPS } from "../../src/cli/demo-sources.js";

const DEMO = fileURLToPath(new URL("../../scripts/cluster/demo.js", import.meta.url));

/** Processes that were started with a text among their arguments. */
async function processesOf(text: string): Promise<string[]> {
  const lines = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(text));
}

test("the demo asks a cluster what it asks a folder, and leaves nothing after Ctrl-C", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-demo-test-"));
  // A group of its own, as a terminal gives: Ctrl-C is a signal to all of it.
  const child = spawn(process.execPath, [DEMO, "--cluster", "--keep"], {
    env: { ...process.env, TMPDIR: dir, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let [out, err] = ["", ""];
  child.stderr.on("data", (data: Buffer) => {
    err += data;
  });
  child.stdout.on("data", (data: Buffer) => {
    out += data;
    if (out.includes("until Ctrl-C")) process.kill(-child.pid!, "SIGINT");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code, err).toBe(130);
  expect(out.match(/The same answer as in the folder/g)).toHaveLength(DEMO_STEPS.length);
  expect(await readdir(dir)).toEqual([]);
  expect(await processesOf(dir)).toEqual([]);
  await rm(dir, { recursive: true });
});

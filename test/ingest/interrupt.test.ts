import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOTES_MAPPING } from "./notes-mapping.js";
import { Scratch } from "./support.js";

/** The command line as it is built: a process of its own is what gets the signal. */
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

describe("an ingestion that is stopped from outside", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    expect(existsSync(MAIN), "run `npm run build` first").toBe(true);
    scratch = await Scratch.make();
    await scratch.write("map.json", JSON.stringify(NOTES_MAPPING));
    const rows = Array.from(
      { length: 400_000 },
      (_, i) => `{"id":"${i}","text":"note number ${i} and some words"}\n`,
    );
    await scratch.write("in/a.jsonl", rows.join(""));
    await scratch.write("small/a.jsonl", rows.slice(0, 10).join(""));
  });
  afterEach(() => scratch.remove());

  const start = (input: string): ChildProcess =>
    spawn(
      process.execPath,
      [
        MAIN,
        "ingest",
        input,
        "--adapter",
        "map.json",
        "--out",
        "made/out",
        "--captured-at",
        "2026-05-27T08:00:00Z",
      ],
      { cwd: scratch.dir, stdio: "ignore" },
    );

  /** Waits until the run has begun to write beside its output. */
  const underWay = async (child: ChildProcess) => {
    while (child.exitCode === null) {
      const names = await readdir(`${scratch.dir}/made`, { recursive: true }).catch(() => []);
      if (names.some((name) => name.includes("staging.duckdb"))) return;
      await sleep(5);
    }
    throw new Error(`it ended with ${child.exitCode} before it could be stopped`);
  };

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "leaves nothing after %s, and says so by its exit code, %d",
    { tags: "slow" },
    async (signal, code) => {
      const child = start("in");
      const ended = once(child, "exit");
      await underWay(child);
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      expect((await readdir(scratch.dir)).sort()).toEqual(["in", "map.json", "small"]);
    },
  );

  it("shows no output after SIGKILL, and the next run clears what was left", { tags: "slow" }, async () => {
    const child = start("in");
    const ended = once(child, "exit");
    await underWay(child);
    child.kill("SIGKILL");
    await ended;
    const left = (await readdir(`${scratch.dir}/made`)).sort();
    const [folder = ""] = left;
    expect(folder).toMatch(/^\.out\.partial-/);
    expect(left).toEqual([folder, `${folder}.lock`]);
    const next = start("small");
    expect(await once(next, "exit")).toEqual([0, null]);
    expect(await readdir(`${scratch.dir}/made`)).toEqual(["out"]);
  });
});

import { execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import { inject } from "vitest";
import { sharedFolder } from "../shared-folder.js";

/**
 * What happens at the n-th change (n from 1) of the files under a folder, by any library of the process:
 * - `kill`: the process ends before it;
 * - `tear`: the process ends after half of it, if it is a write of bytes, else before it;
 * - `full`: it and every later one that takes space fails with ENOSPC;
 * - `once`: it alone fails with ENOSPC.
 */
export type FaultKind = "kill" | "tear" | "full" | "once";

/** How a process with faults ended. */
export interface FaultedRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  /** A letter for each change under the folder: `s` where it takes space, else `c`. Undefined if the process was killed. */
  readonly changes: string | undefined;
}

/** A moment of a process that waits: before a change, or in the middle of a write. */
export interface Moment {
  /** Number of the change, from 1. */
  readonly at: number;
  readonly torn: boolean;
  /** What the process has printed so far. */
  readonly out: string;
}

/** Whether this machine can run a process with faults: Linux with a C compiler. */
export const CAN_FAULT = process.platform === "linux" && hasCompiler();

function hasCompiler(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a Node.js program that changes files under `root`, an absolute path without links, with a fault at its n-th change, or
 * without one to learn its changes.
 */
export async function runWithFaults(
  program: string,
  args: readonly string[],
  root: string,
  fault?: { readonly kind: FaultKind; readonly at: number },
): Promise<FaultedRun> {
  return run(program, args, root, fault === undefined ? "count" : `${fault.kind}:${fault.at}`);
}

/**
 * Runs a Node.js program that changes files under `root`, and holds it before each change and in the middle of each write: what
 * is in the folder then is what a kill in that moment leaves, because the system keeps what a killed process has written.
 */
export async function stepThrough(
  program: string,
  args: readonly string[],
  root: string,
  look: (moment: Moment) => Promise<void>,
): Promise<FaultedRun> {
  return run(program, args, root, "step", look);
}

async function run(
  program: string,
  args: readonly string[],
  root: string,
  fault: string,
  look?: (moment: Moment) => Promise<void>,
): Promise<FaultedRun> {
  const library = await faultsLibrary();
  const beside = join(root, "..", `run-${randomUUID()}`);
  const [log, printed] = [`${beside}.changes`, `${beside}.out`];
  // A file: what is printed before a change is there at once.
  const out = openSync(printed, "w");
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", out, "pipe", "pipe"],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      MIRRORLAKE_FAULT_ROOT: root,
      MIRRORLAKE_FAULT: fault,
      MIRRORLAKE_FAULT_LOG: log,
    },
  });
  closeSync(out);
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const ended = once(child, "close");
  try {
    if (look !== undefined) {
      const channel = child.stdio[3] as Duplex;
      let at = 0;
      for await (const moments of channel)
        for (const letter of (moments as Buffer).toString()) {
          if (letter === "c") at++;
          await look({ at, torn: letter === "t", out: await readFile(printed, "utf8") });
          channel.write(".");
        }
    }
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    const changes = await readFile(log, "utf8").catch(() => undefined);
    return { code, signal, out: await readFile(printed, "utf8"), err, changes };
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await Promise.all([log, printed].map((path) => rm(path, { force: true })));
  }
}

/** Compiles the library that is loaded before all others, once a run. */
export async function faultsLibrary(): Promise<string> {
  const dir = await sharedFolder(inject("sharedRoot"), "faults", async (folder) => {
    const source = join(import.meta.dirname, "faults.c");
    const flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"];
    await promisify(execFile)("cc", [...flags, "-o", join(folder, "faults.so"), source, "-ldl"]);
  });
  return join(dir, "faults.so");
}

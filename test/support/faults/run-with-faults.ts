import { execFile, execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
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
  /** Number of changes under the folder; undefined if the process was killed. */
  readonly changes: number | undefined;
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
 * without one to count the changes.
 */
export async function runWithFaults(
  program: string,
  args: readonly string[],
  root: string,
  fault?: { readonly kind: FaultKind; readonly at: number },
): Promise<FaultedRun> {
  const library = await faultsLibrary();
  const log = join(root, "..", `changes-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      LD_PRELOAD: library,
      MIRRORLAKE_FAULT_ROOT: root,
      MIRRORLAKE_FAULT: fault === undefined ? "count" : `${fault.kind}:${fault.at}`,
      MIRRORLAKE_FAULT_LOG: log,
    },
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve(ended));
  });
  const changes = await readFile(log, "utf8").then(Number, () => undefined);
  return { code, signal, out, err, changes };
}

/** Compiles the library that is loaded before all others, once a run. */
async function faultsLibrary(): Promise<string> {
  const dir = await sharedFolder(inject("sharedRoot"), "faults", async (folder) => {
    const source = join(import.meta.dirname, "faults.c");
    const flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"];
    await promisify(execFile)("cc", [...flags, "-o", join(folder, "faults.so"), source, "-ldl"]);
  });
  return join(dir, "faults.so");
}

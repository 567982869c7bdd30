import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

/** Names a process so that another on the same host can tell whether it still runs. */
export const ProcessIdentity = z.object({
  host: z.string(),
  pid: z.number().int().min(1),
  /** When the process started, in the kernel's clock ticks since boot; null where that cannot be read. */
  started: z.number().int().nullable(),
});
export type ProcessIdentity = Readonly<z.infer<typeof ProcessIdentity>>;

/** This process. */
export function thisProcess(): ProcessIdentity {
  const started = startOf(process.pid);
  return { host: hostname(), pid: process.pid, started: started === "ended" ? null : started };
}

/**
 * Whether the process runs: `unknown` on another host, and where its start cannot be read, because its id may have been
 * given to another process since.
 */
export function isRunning(identity: ProcessIdentity): boolean | "unknown" {
  if (identity.host !== hostname()) return "unknown";
  if (!exists(identity.pid)) return false;
  const started = startOf(identity.pid);
  if (started === "ended") return false;
  if (started === null || identity.started === null) return "unknown";
  return started === identity.started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Field 22 of /proc/<pid>/stat (proc_pid_stat(5)); the command name in field 2 may hold anything but ends in ")".
 * A zombie has ended, though its parent has not asked for its exit code yet.
 */
function startOf(pid: number): number | "ended" | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // No /proc on this system, or the process has ended just now.
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return "ended";
  const started = Number(fields[19]);
  return Number.isSafeInteger(started) ? started : null;
}

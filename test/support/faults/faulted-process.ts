import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type FaultedRun, type FaultKind, faultsLibrary } from "./run-with-faults.js";

const PROGRAM = join(import.meta.dirname, "work-loop.js");

interface Running {
  readonly child: ChildProcess;
  readonly answers: AsyncIterator<string>;
  readonly ended: Promise<unknown>;
  readonly errors: () => string;
}

/** A process that does one piece of work after the other under a folder, each with a fault: seconds less than a process for each. */
export class FaultedProcess {
  private running: Running | undefined;
  private readonly printed: string;

  /** @param root the folder, an absolute path without links */
  constructor(private readonly root: string) {
    this.printed = join(root, "..", `loop-${randomUUID()}.out`);
  }

  /** Does a work of works.js with a fault at its n-th change. */
  async run(
    work: string,
    options: object,
    fault: { readonly kind: FaultKind; readonly at: number },
  ): Promise<FaultedRun> {
    this.running ??= await this.start();
    const { child, answers, ended, errors } = this.running;
    const before = statSync(this.printed).size;
    child.stdin?.write(`${JSON.stringify({ work, options, fault: `${fault.kind}:${fault.at}` })}\n`);
    const answer = await answers.next();
    const out = readFileSync(this.printed).subarray(before).toString();
    if (answer.done === true) {
      await ended;
      this.running = undefined;
      return { code: child.exitCode, signal: child.signalCode, out, err: errors(), changes: undefined };
    }
    const { error, open } = JSON.parse(answer.value) as { error?: object; open: string[] };
    // What stays open would be found again after each later work.
    if (open.length > 0) await this.stop();
    const code = open.length > 0 ? 3 : error === undefined ? 0 : 1;
    const err =
      error === undefined && open.length === 0 ? "" : JSON.stringify(code === 3 ? { error, open } : error);
    return { code, signal: null, out, err, changes: undefined };
  }

  /** Ends the process. */
  async end(): Promise<void> {
    await this.stop();
    await rm(this.printed, { force: true });
  }

  private async stop(): Promise<void> {
    this.running?.child.kill("SIGKILL");
    await this.running?.ended;
    this.running = undefined;
  }

  private async start(): Promise<Running> {
    const library = await faultsLibrary();
    const out = openSync(this.printed, "a");
    const child = spawn(process.execPath, ["--expose-gc", PROGRAM], {
      stdio: ["pipe", out, "pipe", "pipe"],
      env: {
        ...process.env,
        LD_PRELOAD: library,
        MIRRORLAKE_FAULT_ROOT: this.root,
        MIRRORLAKE_FAULT: "count",
      },
    });
    closeSync(out);
    let errors = "";
    child.stderr?.on("data", (data: Buffer) => {
      errors += data.toString();
    });
    const lines = createInterface({ input: child.stdio[3] as Readable });
    return {
      child,
      answers: lines[Symbol.asyncIterator](),
      ended: once(child, "close"),
      errors: () => errors,
    };
  }
}

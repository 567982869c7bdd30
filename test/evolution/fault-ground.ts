import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { FaultedProcess } from "../support/faults/faulted-process.js";
import {
  type FaultedRun,
  type FaultKind,
  runWithFaults,
  stepThrough,
} from "../support/faults/run-with-faults.js";
import { WORKS } from "../support/faults/works.js";
import type { FaultScenario } from "./fault-scenarios.js";

const PROGRAM = join(import.meta.dirname, "../support/faults/work-child.js");

/** What a scenario begins with and comes to, and the changes of files between. */
interface Known {
  readonly base: string;
  readonly before: string;
  readonly after: string;
  /** A letter for each change: `s` where it takes space. */
  readonly changes: string;
  /** What was found whole already: digests of folders. */
  readonly judged: Set<string>;
}

/** A folder in which scenarios suffer faults. */
export class FaultGround {
  readonly #known = new Map<string, Promise<Known>>();

  private constructor(private readonly dir: string) {}

  static async make(): Promise<FaultGround> {
    return new FaultGround(await realpath(await mkdtemp(join(tmpdir(), "mirrorlake-faults-"))));
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  /** Prepares a scenario and does its work once without a fault. */
  learn(scenario: FaultScenario): Promise<Known> {
    const learned = this.#known.get(scenario.name) ?? this.#learn(scenario, this.#known.size);
    this.#known.set(scenario.name, learned);
    return learned;
  }

  async #learn(scenario: FaultScenario, number: number): Promise<Known> {
    const base = join(this.dir, `base-${number}`);
    await mkdir(base);
    await scenario.prepare(base);
    const whole = await this.#copy(base, `whole-${number}`);
    const run = await this.#run(scenario, whole);
    expect([run.code, run.err]).toEqual([0, ""]);
    const before = await scenario.state(base);
    const after = await scenario.state(whole);
    expect(await scenario.leftovers(whole)).toEqual([]);
    return { base, before, after, changes: run.changes!, judged: new Set() };
  }

  /** Lets the work fail at one change: the old or the new state is there, and the work can be done again. */
  async suffer(scenario: FaultScenario, kind: FaultKind, at: number): Promise<void> {
    const known = await this.learn(scenario);
    const place = await this.#copy(known.base, "place");
    const run = await this.#run(scenario, place, { kind, at });
    const told = `${scenario.name}: ${kind} at ${at} of ${known.changes.length}\n${run.err}`;
    if (kind === "kill" || kind === "tear") {
      count("kills");
      expect([run.signal, run.code], told).toBeOneOf([
        ["SIGKILL", null],
        [null, 0],
      ]);
    } else {
      count("faults");
      checkRefusal(scenario, run, told);
    }
    await this.#judge(scenario, place, run.out, told, run.code === 0);
  }

  /**
   * Lets the work be killed before each change and in the middle of each write; looks at each, or at every n-th of these moments.
   */
  async sufferEveryKill(scenario: FaultScenario, every = 1): Promise<readonly string[]> {
    const known = await this.learn(scenario);
    const failures: string[] = [];
    const stepped = await this.#copy(known.base, "stepped");
    const [work, options] = scenario.work(stepped);
    let moments = 0;
    await stepThrough(PROGRAM, [work, JSON.stringify(options)], stepped, async ({ at, torn, out }) => {
      if (moments++ % every !== SEED % every) return;
      const told = `${scenario.name}: ${torn ? "tear" : "kill"} at ${at} of ${known.changes.length}`;
      const place = await this.#copy(stepped, "place");
      count("kills");
      await this.#judge(scenario, place, out, told, false).catch((error: Error) =>
        failures.push(`${told}: ${error.stack}`),
      );
    });
    return failures;
  }

  /** Lets the disk be full from each change on that takes space, and at it alone; at each of these changes, or at every n-th. */
  async sufferEveryFullDisk(scenario: FaultScenario, every = 1): Promise<readonly string[]> {
    const { base, changes } = await this.learn(scenario);
    const failures: string[] = [];
    const place = join(this.dir, "place");
    const [work, options] = scenario.work(place);
    const faulted = new FaultedProcess(place);
    for (const kind of ["full", "once"] as const)
      for (const [i, letter] of [...changes].entries()) {
        if (letter !== "s" || i % every !== SEED % every) continue;
        const told = `${scenario.name}: ${kind} at ${i + 1} of ${changes.length}`;
        try {
          await this.#copy(base, "place");
          const run = await faulted.run(work, options, { kind, at: i + 1 });
          count("faults");
          checkRefusal(scenario, run, `${told}\n${run.err}`);
          await this.#judge(scenario, place, run.out, `${told}\n${run.err}`, run.code === 0);
        } catch (error) {
          failures.push(`${told}: ${(error as Error).stack}`);
        }
      }
    await faulted.end();
    return failures;
  }

  /** Checks a place after a fault. What was found whole once is not looked at again. */
  async #judge(
    scenario: FaultScenario,
    place: string,
    out: string,
    told: string,
    isDone: boolean,
  ): Promise<void> {
    const { before, after, judged } = await this.learn(scenario);
    const digest = await digestOf(place, `${isDone} ${out}`);
    if (judged.has(digest)) return;
    const state = await scenario.state(place);
    if (state !== after && (isDone || state !== before)) count(isDone ? "lost" : "wrong");
    expect(isDone ? [after] : [before, after], told).toContain(state);
    await scenario.after?.(place, out);
    const [work, options] = scenario.work(place);
    await WORKS[work]!(options).catch((error: { code?: string }) => {
      // What is done is done: some work refuses to be done twice.
      if (state !== after || error.code === undefined || error.code !== scenario.doneCode) throw error;
    });
    expect(await scenario.state(place), told).toBe(after);
    expect(await scenario.leftovers(place), told).toEqual([]);
    judged.add(digest);
  }

  /** A copy of a folder, in the place of an earlier one. */
  async #copy(from: string, name: string): Promise<string> {
    const to = join(this.dir, name);
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
    return to;
  }

  #run(scenario: FaultScenario, at: string, fault?: { kind: FaultKind; at: number }): Promise<FaultedRun> {
    const [name, options] = scenario.work(at);
    return runWithFaults(PROGRAM, [name, JSON.stringify(options)], at, fault);
  }
}

/** Work on a full disk is done, or says that the disk is full, and leaves nothing open. */
function checkRefusal(scenario: FaultScenario, run: FaultedRun, told: string): void {
  if (run.signal !== null || (run.code ?? 0) > 3) count("crashes");
  expect([run.signal, run.code], told).toBeOneOf([
    [null, 0],
    [null, 1],
    [null, 3],
  ]);
  if (run.code === 3) count("descriptors");
  expect(run.code, told).not.toBe(3);
  // The account's engine says of some full disks but that it cannot write or open its file.
  const codes =
    scenario.name === "charged calls" ? /"code":"(?:disk_full|service_unavailable)"/ : /"code":"disk_full"/;
  if (run.code === 1) expect(run.err, told).toMatch(codes);
}

/** Folders under construction, which nobody reads and the next work removes; their names are random. */
const UNDER_CONSTRUCTION = /\/\.(?:tmp|[^/]+\.partial)-[^/]+\//;

/** SHA-256 over a text, and the paths and contents of all files under a folder, but for contents of what is under construction. */
async function digestOf(dir: string, text: string): Promise<string> {
  const hash = createHash("sha256").update(text);
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  for (const { entry, path } of paths.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`\n${path.slice(dir.length).replace(/-[0-9a-f]{16}/, "-*")}\n`);
    if (entry.isFile() && !UNDER_CONSTRUCTION.test(path))
      hash.update(
        createHash("sha256")
          .update(await readFile(path))
          .digest(),
      );
  }
  return hash.digest("hex");
}

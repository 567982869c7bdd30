import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random, shuffled } from "../lake/items.js";
import { rounds, SEED } from "../support/campaign.js";
import { CAN_FAULT, type FaultKind, runWithFaults } from "../support/faults/run-with-faults.js";
import { type FaultScenario, SCENARIOS } from "./fault-scenarios.js";

const PROGRAM = join(import.meta.dirname, "../support/faults/work-child.js");
const KINDS: readonly FaultKind[] = ["kill", "tear", "full", "once"];
/** Faults in all: each at another change, drawn from every change of every scenario. */
const FAULTS = rounds(2);

let dir: string;
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "mirrorlake-faults-")));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Known {
  readonly base: string;
  readonly before: string;
  readonly after: string;
  readonly changes: number;
}

const known = new Map<string, Promise<Known>>();

/** Prepares a scenario and does its work once without a fault. */
function learn(scenario: FaultScenario): Promise<Known> {
  let learned = known.get(scenario.name);
  if (learned === undefined) {
    learned = (async () => {
      const base = join(dir, `base-${known.size}`);
      await mkdir(base);
      await scenario.prepare(base);
      const whole = join(dir, `whole-${known.size}`);
      await cp(base, whole, { recursive: true });
      const run = await work(scenario, whole);
      expect([run.code, run.err]).toEqual([0, ""]);
      const before = await scenario.state(base);
      const after = await scenario.state(whole);
      expect(await scenario.leftovers(whole)).toEqual([]);
      await rm(whole, { recursive: true, force: true });
      return { base, before, after, changes: run.changes! };
    })();
    known.set(scenario.name, learned);
  }
  return learned;
}

function work(scenario: FaultScenario, at: string, fault?: { kind: FaultKind; at: number }) {
  const [name, options] = scenario.work(at);
  return runWithFaults(PROGRAM, [name, JSON.stringify(options)], at, fault);
}

async function suffer(scenario: FaultScenario, kind: FaultKind, share: number): Promise<void> {
  const { base, before, after, changes } = await learn(scenario);
  const at = 1 + Math.floor(share * changes);
  const place = join(dir, "place");
  await rm(place, { recursive: true, force: true });
  await cp(base, place, { recursive: true });
  const run = await work(scenario, place, { kind, at });
  const told = `${scenario.name}: ${kind} at ${at} of ${changes}\n${run.err}`;
  if (kind === "kill" || kind === "tear")
    expect([run.signal, run.code], told).toBeOneOf([
      ["SIGKILL", null],
      [null, 0],
    ]);
  else {
    expect(run.signal, told).toBe(null);
    // The account's engine says of some full disks but that it cannot write or open its file.
    const codes =
      scenario.name === "charged calls" ? /"code":"(?:disk_full|service_unavailable)"/ : /"code":"disk_full"/;
    if (run.code !== 0) expect(run.err, told).toMatch(codes);
  }
  const state = await scenario.state(place);
  expect([before, after], told).toContain(state);
  if (run.code === 0) expect(state, told).toBe(after);
  await scenario.after?.(place, run.out);
  const again = await work(scenario, place);
  expect([again.code, again.err], told).toEqual([0, ""]);
  expect(await scenario.state(place), told).toBe(after);
  expect(await scenario.leftovers(place), told).toEqual([]);
}

describe.skipIf(!CAN_FAULT)("at any change of a file", () => {
  const next = random(SEED);
  const faults = shuffled(
    SCENARIOS.flatMap((scenario) => KINDS.map((kind) => ({ scenario, kind }))),
    SEED,
  );
  const drawn = Array.from({ length: FAULTS }, (_, i) => ({ ...faults[i % faults.length]!, share: next() }));
  it.each(drawn.map((fault) => [`${fault.kind} ${fault.scenario.name}`, fault] as const))(
    "%s leaves the old or the new state, and the work can be done again",
    (_name, { scenario, kind, share }) => suffer(scenario, kind, share),
  );
});

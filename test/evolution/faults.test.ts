import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random, shuffled } from "../lake/items.js";
import { EVERY, FIRST_ROUND, rounds, SEED } from "../support/campaign.js";
import { CAN_FAULT, type FaultKind } from "../support/faults/run-with-faults.js";
import { FaultGround } from "./fault-ground.js";
import { SCENARIOS } from "./fault-scenarios.js";

const KINDS: readonly FaultKind[] = ["kill", "tear", "full", "once"];
/** Faults in all: each at another change, drawn from every change of every scenario. */
const FAULTS = rounds(2);
const HOURS = 3_600_000;

let ground: FaultGround;
beforeAll(async () => {
  ground = await FaultGround.make();
});
afterAll(() => ground?.remove());

describe.skipIf(!CAN_FAULT)("at any change of a file", () => {
  const next = random(SEED);
  const faults = shuffled(
    SCENARIOS.flatMap((scenario) => KINDS.map((kind) => ({ scenario, kind }))),
    SEED,
  );
  const drawn = Array.from({ length: FAULTS }, (_, i) => ({ ...faults[i % faults.length]!, share: next() }));
  it.each(drawn.map((fault) => [`${fault.kind} ${fault.scenario.name}`, fault] as const))(
    "%s leaves the old or the new state, and the work can be done again",
    { tags: "slow" },
    async (_name, { scenario, kind, share }) => {
      const { changes } = await ground.learn(scenario);
      await ground.suffer(scenario, kind, 1 + Math.floor(share * changes.length));
    },
  );
});

// Once a campaign: it takes hours where every write is tried.
if (FIRST_ROUND)
  describe.skipIf(!CAN_FAULT)("at changes of files that take space", () => {
    it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
      "a disk that is full for %s leaves the old or the new state",
      async (_name, scenario) => expect(await ground.sufferEveryFullDisk(scenario, EVERY)).toEqual([]),
      8 * HOURS,
    );
  });

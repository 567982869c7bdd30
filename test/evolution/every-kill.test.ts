import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shuffled } from "../lake/items.js";
import { CAMPAIGN, FIRST_ROUND, SEED } from "../support/campaign.js";
import { CAN_FAULT } from "../support/faults/run-with-faults.js";
import { FaultGround } from "./fault-ground.js";
import { SCENARIOS } from "./fault-scenarios.js";

const HOURS = 3_600_000;
/** In `npm run test:all` some moments of the quickest: test/evolution/faults.test.ts kills real processes besides. */
const TRIED = CAMPAIGN ? shuffled(SCENARIOS, SEED) : SCENARIOS.filter(({ name }) => name === "a publication");

let ground: FaultGround;
beforeAll(async () => {
  ground = await FaultGround.make();
});
afterAll(() => ground?.remove());

describe.skipIf(!CAN_FAULT || (CAMPAIGN && !FIRST_ROUND))(
  "a kill at every change of a file, and in the middle of every write",
  () => {
    it.each(TRIED.map((scenario) => [scenario.name, scenario] as const))(
      "of %s leaves the old or the new state, and the work can be done again",
      { tags: "slow", timeout: 8 * HOURS },
      async (_name, scenario) =>
        expect(await ground.sufferEveryKill(scenario, CAMPAIGN ? 1 : 20)).toEqual([]),
    );
  },
);

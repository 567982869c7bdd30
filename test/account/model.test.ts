import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { micros } from "../../src/contract/money.js";
import { rounds } from "../support/campaign.js";
import { drive, ENDPOINTS, sequences, step } from "./drive-model.js";

describe("account against a reference model", () => {
  it("in memory: quota, balance, windows, months, holds, repetitions", { tags: "slow" }, async () => {
    const noRestart = step.filter((each) => each.do !== "restart");
    await fc.assert(
      fc.asyncProperty(...sequences(noRestart, 40), (start, funds, steps) =>
        drive(
          async (clock) => openMemoryAccount({ clock, openingBalance: micros(funds) }),
          start,
          funds,
          steps,
        ),
      ),
      {
        numRuns: rounds(25),
        examples: [
          // The month ends while a call waits for the free call that another holds.
          [
            "2026-05-31T23:58:00+08:00",
            7_000n,
            [
              { do: "useQuota", times: 900 },
              { do: "hold", endpoint: ENDPOINTS[0], times: 1 },
              { do: "calls", endpoint: ENDPOINTS[0], outcome: "charge", times: 137, gapMs: 1001, ids: -1 },
            ],
          ],
        ],
      },
    );
  });

  it("on disk, through restarts", async () => {
    await fc.assert(
      fc.asyncProperty(...sequences(step, 20), async (start, funds, steps) => {
        const lake = await mkdtemp(join(tmpdir(), "mirrorlake-model-"));
        try {
          await drive(
            (clock) => openAccount(lake, { clock, openingBalance: micros(funds) }),
            start,
            funds,
            steps,
          );
        } finally {
          await rm(lake, { recursive: true });
        }
      }),
      { numRuns: rounds(8) },
    );
  });
});

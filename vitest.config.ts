import { defineConfig } from "vitest/config";
import { CAMPAIGN } from "./test/support/campaign.js";
import { HEAP } from "./test/support/heap.js";
import { LongestFirst } from "./test/support/longest-first.js";

const HOUR_MS = 3_600_000;

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/shared-folder.ts"],
    setupFiles: [
      "test/support/equal-numbers.ts",
      ...(CAMPAIGN && process.platform === "linux" ? ["test/support/watch-descriptors.ts"] : []),
    ],
    pool: "forks",
    execArgv: HEAP,
    // Tests wait for child processes and disks: four keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // `npm test` leaves these to `npm run test:slow`; both are part of the checks.
    tags: [
      {
        name: "slow",
        description: "Takes more than 3 seconds beside three other tests on two cores.",
        timeout: CAMPAIGN ? 6 * HOUR_MS : 600_000,
      },
    ],
    // Files share a process, which loads the sources and DuckDB once. That also shows that nothing keeps global state.
    isolate: false,
    // What was compiled is kept for the next run, by its content: a quarter less processor time for short files.
    experimental: { fsModuleCache: true },
    // A campaign may run beside anything else, for hours.
    testTimeout: CAMPAIGN ? 6 * HOUR_MS : 120_000,
    hookTimeout: CAMPAIGN ? 6 * HOUR_MS : 180_000,
    // What a page shows is waited for as long as a test may take: a busy machine is no fault.
    expect: { poll: { timeout: CAMPAIGN ? 6 * HOUR_MS : 100_000 } },
  },
});

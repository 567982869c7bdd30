import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { CAMPAIGN } from "../support/campaign.js";
import { HEAP } from "../support/heap.js";
import { LongestFirst } from "../support/longest-first.js";

/** A thousand queries of three nodes take long on a machine that does other work. */
const TIMEOUT_MS = CAMPAIGN ? 21_600_000 : 600_000;

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/cluster/*.cluster.ts"],
    globalSetup: ["test/support/shared-folder.ts"],
    setupFiles: ["test/support/equal-numbers.ts"],
    pool: "forks",
    execArgv: HEAP,
    // Servers and those who ask them wait for each other, and some tests for a time-out: two keep two cores busy.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    isolate: false,
    // What was compiled is kept for the next run.
    experimental: { fsModuleCache: true },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { CAMPAIGN } from "../support/campaign.js";
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
    // As of the other tests: threads that help V8 collect garbage only take turns with the tests and the servers.
    execArgv: ["--single-threaded-gc"],
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

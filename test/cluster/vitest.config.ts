import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/cluster/*.cluster.ts"],
    globalSetup: ["test/support/shared-folder.ts"],
    pool: "forks",
    // Servers and those who ask them wait for each other, and some tests for a time-out: two keep two cores busy.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

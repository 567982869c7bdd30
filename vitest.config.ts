import { defineConfig } from "vitest/config";
import { CAMPAIGN, rounds } from "./test/support/campaign.js";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/shared-folder.ts"],
    setupFiles: CAMPAIGN && process.platform === "linux" ? ["test/support/watch-descriptors.ts"] : [],
    pool: "forks",
    maxWorkers: 2,
    // Files share a process, which loads the sources and DuckDB once. That also shows that nothing keeps global state.
    isolate: false,
    testTimeout: rounds(120_000),
    hookTimeout: rounds(180_000),
  },
});

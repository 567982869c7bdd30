export type { RawRow, RecordRow } from "./ingest/lake-row.js";
export { createTestLake } from "./testing/create-test-lake.js";
export { Seeded } from "./testing/seeded.js";
export { TestClock } from "./testing/test-clock.js";
export type { TestLake } from "./testing/test-lake.js";
export type { TestLakeOptions, TestState } from "./testing/test-lake-options.js";
export { VirtualClock } from "./testing/virtual-clock.js";

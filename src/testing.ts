export { type AppliedFault, FaultInjector } from "./faults/fault-injector.js";
export type { FaultInput, FaultPlanInput, FaultRule } from "./faults/fault-plan.js";
export { Seeded } from "./faults/seeded.js";
export type { RawRow, RecordRow } from "./ingest/lake-row.js";
export { createTestLake } from "./testing/create-test-lake.js";
export { TestClock } from "./testing/test-clock.js";
export type { TestLake } from "./testing/test-lake.js";
export type { TestLakeOptions, TestState } from "./testing/test-lake-options.js";
export { VirtualClock } from "./testing/virtual-clock.js";

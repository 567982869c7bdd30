/**
 * Lakes in memory for tests, faults, record and replay, interception and shadow runs: `mirrorlake/testing`.
 *
 * @module mirrorlake/testing
 */

export type { CassetteRequest } from "./cassette/cassette-line.js";
export { type RecordingFetch, type RecordOptions, recordFetch } from "./cassette/record-fetch.js";
export type { RedactOptions } from "./cassette/redact.js";
export { type ReplayingFetch, type ReplayOptions, replayFetch } from "./cassette/replay-fetch.js";
export type { Difference, DifferenceKind, Tolerances } from "./compare/difference.js";
export type { DriftOptions, DriftReport } from "./compare/drift.js";
export type { DifferenceGroup, FoundDifference } from "./compare/group-differences.js";
export type { Observation } from "./compare/observations.js";
export { type AppliedFault, FaultInjector } from "./faults/fault-injector.js";
export type { FaultInput, FaultPlanInput, FaultRule } from "./faults/fault-plan.js";
export { Seeded } from "./faults/seeded.js";
export type { RawRow, RecordRow } from "./ingest/lake-row.js";
export { cachedLake } from "./testing/cached-lake.js";
export { createTestLake, prepareTestLake } from "./testing/create-test-lake.js";
export { driftReport } from "./testing/drift-report.js";
export { type Forecast, type ForecastOptions, forecastRun } from "./testing/forecast.js";
export { lakeFixture, withTestLake } from "./testing/lake-fixture.js";
export {
  type Makers,
  makersFrom,
  type PricePlan,
  type RecordFields,
  type ThreadPlan,
  type World,
} from "./testing/makers.js";
export { type MswHttp, mswHandlers } from "./testing/msw-handlers.js";
export { type ShadowClient, type ShadowOptions, type ShadowReport, shadow } from "./testing/shadow.js";
export { type SnapshotSerializer, snapshotSerializer } from "./testing/snapshot-serializer.js";
export { TestClock } from "./testing/test-clock.js";
export type { TestLake } from "./testing/test-lake.js";
export type { TestLakeOptions, TestState } from "./testing/test-lake-options.js";
export {
  type Dispatch,
  type UndiciInterceptorOptions,
  undiciInterceptor,
} from "./testing/undici-interceptor.js";
export { VirtualClock } from "./virtual-clock.js";

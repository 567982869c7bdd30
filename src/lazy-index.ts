/*
 * The package's runtime exports: those of index.ts, but functions that open lakes, read data or serve load their modules
 * on the first call. index.ts has the types and the documentation; test/startup compares the two.
 */
import { needGlobals } from "./contract/need-globals.js";
import { ownArguments } from "./contract/own-copy.js";
import type * as api from "./index.js";
// Before a test switches fake timers on.
import "./next-turn.js";

export { withBudget } from "./budget/with-budget.js";
export { connect } from "./client/connect.js";
export { sliceFiles } from "./client/files/slice-files.js";
export { systemClock } from "./clock.js";
export {
  ApiError,
  BudgetError,
  CassetteError,
  ConnectionError,
  DiskError,
  ERRORS,
  IngestError,
  LakeError,
  MappingError,
  MirrorlakeError,
  PullError,
  ResponseError,
  SearchError,
  SliceError,
  SqlError,
  UsageError,
} from "./contract/errors.js";
export { RowSet } from "./contract/lake/row-set.js";
export { CATALOGUE } from "./contract/service/catalogue.js";
export { catalogueFromOpenApi } from "./contract/service/catalogue-file/from-openapi.js";
export { loadCatalogue } from "./contract/service/catalogue-file/load-catalogue.js";
export { defineEndpoint } from "./contract/service/endpoint.js";
export { LIMITS } from "./contract/service/limits.js";
export { openApiDocument } from "./contract/service/openapi/openapi-document.js";
export { PLATFORMS } from "./contract/service/platforms.js";
export { VECTOR_DIMENSIONS } from "./contract/service/unified-record.js";
export { sliceManifestSchema } from "./contract/slice/manifest-schema.js";
export { Readiness } from "./http/readiness.js";
export { Lake } from "./lake/lake.js";
export { recordHash } from "./slice/record-hash.js";
export { parseTakedownList } from "./store/removals/takedown-list.js";
export { systemEnvironment } from "./transfer/source/environment.js";
export { VirtualClock } from "./virtual-clock.js";

export const diagnoseLake: typeof api.diagnoseLake = async (...args) => {
  ownArguments(args);
  return (await import("./client/diagnose-lake.js")).diagnoseLake(...args);
};

export const openLake: typeof api.openLake = async (...args) => {
  ownArguments(args);
  return (await import("./client/open-lake.js")).openLake(...args);
};

export const describeDataset: typeof api.describeDataset = async (...args) => {
  ownArguments(args);
  return (await import("./dataset/describe-dataset.js")).describeDataset(...args);
};

export const piiReport: typeof api.piiReport = async (...args) => {
  ownArguments(args);
  return (await import("./dataset/pii/report-pii.js")).piiReport(...args);
};

export const startServer: typeof api.startServer = async (...args) => {
  ownArguments(args);
  needGlobals(["Headers", "Request", "Response"], "startServer");
  return (await import("./http/server.js")).startServer(...args);
};

export const loadAdapter: typeof api.loadAdapter = async (...args) => {
  ownArguments(args);
  return (await import("./ingest/adapters/load-adapter.js")).loadAdapter(...args);
};

export const createLake: typeof api.createLake = async (...args) => {
  ownArguments(args);
  return (await import("./ingest/create-lake.js")).createLake(...args);
};

export const ingest: typeof api.ingest = async (...args) => {
  ownArguments(args);
  return (await import("./ingest/ingest.js")).ingest(...args);
};

export const authorSaltOf: typeof api.authorSaltOf = async (...args) => {
  ownArguments(args);
  return (await import("./lake/author-salt.js")).authorSaltOf(...args);
};

export const corpusHash: typeof api.corpusHash = async (...args) => {
  ownArguments(args);
  return (await import("./lake/corpus-hash.js")).corpusHash(...args);
};

export const installClickHouse: typeof api.installClickHouse = async (...args) => {
  ownArguments(args);
  return (await import("./clickhouse/install-clickhouse.js")).installClickHouse(...args);
};

export const installSlices: typeof api.installSlices = async (...args) => {
  ownArguments(args);
  return (await import("./lake/install/install-slices.js")).installSlices(...args);
};

export const compactLake: typeof api.compactLake = async (...args) => {
  ownArguments(args);
  return (await import("./lake/maintain/compact-lake.js")).compactLake(...args);
};

export const gcLake: typeof api.gcLake = async (...args) => {
  ownArguments(args);
  return (await import("./lake/maintain/gc-lake.js")).gcLake(...args);
};

export const retainLake: typeof api.retainLake = async (...args) => {
  ownArguments(args);
  return (await import("./lake/maintain/retain-lake.js")).retainLake(...args);
};

export const removeRecords: typeof api.removeRecords = async (...args) => {
  ownArguments(args);
  return (await import("./client/remove-records.js")).removeRecords(...args);
};

export const verifyLake: typeof api.verifyLake = async (...args) => {
  ownArguments(args);
  return (await import("./lake/verify/verify-lake.js")).verifyLake(...args);
};

export const withheldSlices: typeof api.withheldSlices = async (...args) => {
  ownArguments(args);
  return (await import("./lake/withheld-slices.js")).withheldSlices(...args);
};

export const writeSlices: typeof api.writeSlices = async (...args) => {
  ownArguments(args);
  return (await import("./staging/write-slices.js")).writeSlices(...args);
};

export const readTakedownList: typeof api.readTakedownList = async (...args) => {
  ownArguments(args);
  return (await import("./store/removals/takedown-list.js")).readTakedownList(...args);
};

export const diffSlices: typeof api.diffSlices = async function* (...args) {
  yield* (await import("./transfer/diff-slices.js")).diffSlices(...args);
};

export const publishSlices: typeof api.publishSlices = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/publish/publish-slices.js")).publishSlices(...args);
};

export const readLockFile: typeof api.readLockFile = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/lock-file-io.js")).readLockFile(...args);
};

export const writeLockFile: typeof api.writeLockFile = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/lock-file-io.js")).writeLockFile(...args);
};

export const planDataset: typeof api.planDataset = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/pull-dataset.js")).planDataset(...args);
};

export const pullDataset: typeof api.pullDataset = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/pull-dataset.js")).pullDataset(...args);
};

export const planPull: typeof api.planPull = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/plan-pull.js")).planPull(...args);
};

export const pullSlices: typeof api.pullSlices = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/pull-slices.js")).pullSlices(...args);
};

export const checkLock: typeof api.checkLock = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/sync-lake.js")).checkLock(...args);
};

export const syncLake: typeof api.syncLake = async (...args) => {
  ownArguments(args);
  return (await import("./transfer/pull/sync-lake.js")).syncLake(...args);
};

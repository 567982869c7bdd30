export type { Answer } from "./client/answer.js";
export type { CallOptions, Client } from "./client/client.js";
export { type ConnectOptions, connect, type RemoteClient } from "./client/connect.js";
export { type Diagnosis, diagnoseLake, type Finding } from "./client/diagnose-lake.js";
export type { Fetch } from "./client/lake-fetch.js";
export type {
  ArrowOptions,
  ExportRecordsOptions,
  LakeQueries,
  RecordsFilter,
  SqlOptions,
} from "./client/lake-queries.js";
export { type AsOf, type LakeClient, type LakeClientOptions, openLake } from "./client/open-lake.js";
export type { RetryPolicy } from "./client/retry.js";
export { type Clock, systemClock } from "./clock.js";
export {
  CATALOGUE,
  type EndpointData,
  type EndpointId,
  type EndpointParams,
  type RawPlatform,
  type RawResource,
} from "./contract/catalogue.js";
export type { CatalogueFile } from "./contract/catalogue-file/catalogue-file.js";
export { catalogueFromOpenApi, type ImportedCatalogue } from "./contract/catalogue-file/from-openapi.js";
export { loadCatalogue } from "./contract/catalogue-file/load-catalogue.js";
export { defineEndpoint, type EndpointSpec } from "./contract/endpoint.js";
export type { Envelope, ErrorEnvelope, Meta } from "./contract/envelope.js";
export {
  ApiError,
  BudgetError,
  ConnectionError,
  ERRORS,
  type ErrorCode,
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
export type { Label } from "./contract/label.js";
export { LIMITS } from "./contract/limits.js";
export type { LockedSlice, LockFile } from "./contract/lock-file.js";
export type { SliceManifest } from "./contract/manifest.js";
export { sliceManifestSchema } from "./contract/manifest-schema.js";
export { type OpenApiOptions, openApiDocument } from "./contract/openapi/document.js";
export { type Domain, PLATFORMS, type Platform } from "./contract/platforms.js";
export type { Comment, CommentsPage, RawVideo } from "./contract/raw.js";
export { type UnifiedRecord, VECTOR_DIMENSIONS } from "./contract/records.js";
export type { RemovalTarget } from "./contract/removal.js";
export { RowSet } from "./contract/row-set.js";
export type { RawItem, SliceItem, SourceInfo } from "./contract/slice-item.js";
export type { Adapter } from "./corpus/adapters/adapter.js";
export { loadAdapter } from "./corpus/adapters/load-adapter.js";
export type { ArrowBatch, ArrowTable } from "./corpus/arrow.js";
export type { SqlParams, SqlValue } from "./corpus/duckdb.js";
export type { IngestReport } from "./corpus/ingest/ingest.js";
export type { PiiReport } from "./corpus/pii/pii-report.js";
export { type PullEnvironment, systemEnvironment } from "./corpus/pull/environment.js";
export { parseTakedownList, readTakedownList } from "./corpus/removals/takedown-list.js";
export type { WrittenSlice } from "./corpus/slice/publish-slice.js";
export { type WriteOptions, writeSlices } from "./corpus/slice/write-slices.js";
export { type RunningServer, type ServerOptions, startServer } from "./http/server.js";
export { type ServedFile, type SliceFiles, sliceFiles } from "./http/slice-files.js";
export { authorSaltOf } from "./lake/author-salt.js";
export { type CompactOptions, type CompactReport, compactLake } from "./lake/compact-lake.js";
export { corpusHash } from "./lake/corpus-hash.js";
export { type DescribeOptions, type DescribeReport, describeDataset } from "./lake/describe-dataset.js";
export { type Difference, type DiffOptions, diffSlices } from "./lake/diff-slices.js";
export type { ExportFormat } from "./lake/export-formats.js";
export type { ExportReport } from "./lake/export-records.js";
export { type GcOptions, type GcReport, gcLake } from "./lake/gc-lake.js";
export { type IngestOptions, ingest } from "./lake/ingest.js";
export { type InstallOptions, type InstallReport, installSlices } from "./lake/install-slices.js";
export { Lake, type WithheldSlice } from "./lake/lake.js";
export type { SqlRow } from "./lake/lake-sql.js";
export type { LakeOpenOptions } from "./lake/open-view.js";
export { type PiiOptions, piiReport } from "./lake/pii-report.js";
export {
  type PublishOptions,
  type PublishProgress,
  type PublishReport,
  publishSlices,
} from "./lake/publish-slices.js";
export { type LockDrift, readLockFile, writeLockFile } from "./lake/pull/lock-file.js";
export type { PullFilter } from "./lake/pull/pull-filter.js";
export {
  type PlannedSlice,
  type PullOptions,
  type PullPlan,
  type PullProgress,
  type PullReport,
  planPull,
  pullSlices,
} from "./lake/pull/pull-slices.js";
export { checkLock, type SyncOptions, type SyncReport, syncLake } from "./lake/pull/sync-lake.js";
export { type RemoveOptions, type RemoveReport, removeRecords } from "./lake/removals/remove-records.js";
export { type RetainOptions, type RetainReport, retainLake } from "./lake/retain-lake.js";
export type { Problem } from "./lake/verify/problem.js";
export { type VerifyLakeOptions, type VerifyReport, verifyLake } from "./lake/verify/verify-lake.js";
export { withheldSlices } from "./lake/withheld-slices.js";
export type { Embedder } from "./search/embed/embedder.js";
export type { Service, ServiceRequest, ServiceResponse } from "./service.js";
export { VirtualClock } from "./testing/virtual-clock.js";

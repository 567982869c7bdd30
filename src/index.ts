/** The library: a lake, its typed client, and the tools around it. @module mirrorlake */
export type { BudgetLimits, BudgetReport, Spent } from "./budget/allowance.js";
export { type Budgeted, withBudget } from "./budget/with-budget.js";
export type { ClickHouseAddress } from "./clickhouse/clickhouse-address.js";
export {
  type ClickHouseInstallOptions,
  type ClickHouseInstallReport,
  installClickHouse,
} from "./clickhouse/install-clickhouse.js";
export type { Answer } from "./client/answer.js";
export type { CallOptions, Client } from "./client/client.js";
export type { AsOf, ClientOptions } from "./client/client-options.js";
export { type ConnectOptions, connect, type RemoteClient } from "./client/connect.js";
export { type DiagnoseOptions, type Diagnosis, diagnoseLake, type Finding } from "./client/diagnose-lake.js";
export { type ServedFile, type SliceFiles, sliceFiles } from "./client/files/slice-files.js";
export type { Fetch } from "./client/lake-fetch.js";
export type {
  ArrowOptions,
  ExportRecordsOptions,
  LakeQueries,
  RecordsFilter,
  SqlOptions,
} from "./client/lake-queries.js";
export { type LakeClient, type LakeClientOptions, openLake } from "./client/open-lake.js";
export { removeRecords } from "./client/remove-records.js";
export type { RetryPolicy } from "./client/retry.js";
export type { WarmUp, WarmUpOptions } from "./client/warm-up.js";
export { type Clock, systemClock } from "./clock.js";
export {
  ApiError,
  BudgetError,
  CassetteError,
  ConnectionError,
  DiskError,
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
export type { LockedSlice, LockFile } from "./contract/lake/lock-file.js";
export type { RemovalTarget } from "./contract/lake/removal.js";
export { RowSet } from "./contract/lake/row-set.js";
export {
  CATALOGUE,
  type EndpointData,
  type EndpointId,
  type EndpointParams,
  type RawPlatform,
  type RawResource,
} from "./contract/service/catalogue.js";
export type { CatalogueFile } from "./contract/service/catalogue-file/catalogue-file.js";
export {
  catalogueFromOpenApi,
  type ImportedCatalogue,
} from "./contract/service/catalogue-file/from-openapi.js";
export { loadCatalogue } from "./contract/service/catalogue-file/load-catalogue.js";
export { defineEndpoint, type EndpointSpec } from "./contract/service/endpoint.js";
export type { Envelope, ErrorEnvelope, Meta } from "./contract/service/envelope.js";
export type { Label } from "./contract/service/label.js";
export { LIMITS } from "./contract/service/limits.js";
export { type OpenApiOptions, openApiDocument } from "./contract/service/openapi/openapi-document.js";
export { type Domain, PLATFORMS, type Platform, type ShippedPlatform } from "./contract/service/platforms.js";
export type { Comment, CommentsPage, RawVideo } from "./contract/service/raw.js";
export type {
  EcommerceRecord,
  SearchFormat,
  SearchParams,
  SearchRecord,
  SocialRecord,
  WebRecord,
} from "./contract/service/search-record.js";
export type { Selected, Selection } from "./contract/service/selection.js";
export { type UnifiedRecord, VECTOR_DIMENSIONS } from "./contract/service/unified-record.js";
export { sliceManifestSchema } from "./contract/slice/manifest-schema.js";
export type {
  HashPolicy,
  NewRecord,
  RawItem,
  SliceItem,
  SourceInfo,
  SourceInfoInput,
} from "./contract/slice/slice-item.js";
export type { SliceManifest } from "./contract/slice/slice-manifest.js";
export { type DescribeOptions, type DescribeReport, describeDataset } from "./dataset/describe-dataset.js";
export type { PiiReport } from "./dataset/pii/pii-report.js";
export { type PiiOptions, piiReport } from "./dataset/pii/report-pii.js";
export type { ArrowBatch, ArrowTable } from "./duckdb/arrow.js";
export type { SqlParams, SqlValue } from "./duckdb/database.js";
export type { CallStage, CallTrace } from "./endpoints/call-trace.js";
export type { EndedRequest } from "./http/observe-request.js";
export { type CheckedNeed, Readiness, type ReadinessChecks, type ReadinessReport } from "./http/readiness.js";
export {
  type RunningServer,
  type ServerMeasures,
  type ServerOptions,
  type ServiceServer,
  startServer,
} from "./http/server.js";
export type { Adapter } from "./ingest/adapters/adapter.js";
export { loadAdapter } from "./ingest/adapters/load-adapter.js";
export {
  type CreateLakeOptions,
  type CreateLakeProgress,
  type CreateLakeReport,
  createLake,
} from "./ingest/create-lake.js";
export { type IngestOptions, ingest } from "./ingest/ingest.js";
export type { IngestReport } from "./ingest/ingest-report.js";
export type { IngestWarning } from "./ingest/ingest-warning.js";
export type { IngestInput, InputRows } from "./ingest/input-rows.js";
export type { LakeRow, RawRow, RecordRow } from "./ingest/lake-row.js";
export type { InputStream } from "./ingest/readers/found-file.js";
export { authorSaltOf } from "./lake/author-salt.js";
export { corpusHash } from "./lake/corpus-hash.js";
export type { InstallOptions } from "./lake/install/install-options.js";
export type { InstallReport } from "./lake/install/install-report.js";
export { installSlices } from "./lake/install/install-slices.js";
export type { MergeReport } from "./lake/install/merge-segments.js";
export type { Rebuild, RebuildReason } from "./lake/install/rebuild.js";
export type { RefitReport } from "./lake/install/refit-published.js";
export { Lake } from "./lake/lake.js";
export type { LakeHandle, WithheldSlice } from "./lake/lake-handle.js";
export { type CompactOptions, type CompactReport, compactLake } from "./lake/maintain/compact-lake.js";
export { type GcOptions, type GcReport, gcLake } from "./lake/maintain/gc-lake.js";
export { type RetainOptions, type RetainReport, retainLake } from "./lake/maintain/retain-lake.js";
export type { LakeOpenOptions } from "./lake/open/open-view.js";
export type { ExportFormat } from "./lake/query/export-formats.js";
export type { ExportReport } from "./lake/query/export-records.js";
export type { QueryOptions, ResultColumn, SqlRow, StreamOptions } from "./lake/query/lake-sql.js";
export type { RemoveOptions, RemoveProgress, RemoveReport } from "./lake/removals/remove-records.js";
export type { Problem } from "./lake/verify/problem.js";
export { type VerifyLakeOptions, type VerifyReport, verifyLake } from "./lake/verify/verify-lake.js";
export { withheldSlices } from "./lake/withheld-slices.js";
export type { Embedder } from "./search/embed/embedder.js";
export type { FoundAt, Ranks } from "./search/fusion.js";
export type { GraphReport } from "./search/graph-report.js";
export type { Service, ServiceRequest, ServiceResponse } from "./service/pipeline.js";
export { recordHash } from "./slice/record-hash.js";
export type { OwnTable, OwnTables, TableFile, TableFormat } from "./sql/own/own-tables.js";
export type { WrittenSlice } from "./staging/publish-slice.js";
export { type WriteOptions, writeSlices } from "./staging/write-slices.js";
export { parseTakedownList, readTakedownList } from "./store/removals/takedown-list.js";
export { type Difference, type DiffOptions, diffSlices } from "./transfer/diff-slices.js";
export {
  type PublishOptions,
  type PublishProgress,
  type PublishReport,
  publishSlices,
} from "./transfer/publish/publish-slices.js";
export type { DatasetPlan, DatasetReport, ReplacedSlices } from "./transfer/pull/dataset-report.js";
export { type LockDrift, readLockFile, writeLockFile } from "./transfer/pull/lock-file-io.js";
export { type PlannedSlice, type PullPlan, planPull } from "./transfer/pull/plan-pull.js";
export {
  type PullDatasetOptions,
  planDataset,
  pullDataset,
} from "./transfer/pull/pull-dataset.js";
export type { PullFilter } from "./transfer/pull/pull-filter.js";
export type { PullOptions, PullProgress } from "./transfer/pull/pull-options.js";
export { type PullReport, pullSlices } from "./transfer/pull/pull-slices.js";
export { checkLock, type SyncOptions, type SyncReport, syncLake } from "./transfer/pull/sync-lake.js";
export { type PullEnvironment, systemEnvironment } from "./transfer/source/environment.js";
export { VirtualClock } from "./virtual-clock.js";

import type { LakeQueries } from "../client/lake-queries.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import type { OpenLake } from "../service/pipeline.js";

/** What any number of test lakes share and none of them changes: records, raw items and index, in memory or in a folder. */
export interface TestContent extends OpenLake {
  /** Rows of the lakes' catalogue, before prices and caps of a test. */
  readonly catalogue: readonly EndpointSpec[];
  /** SQL and exports. */
  readonly queries: LakeQueries;
  /** Prepares what calls that list slices need. */
  describeSlices(): Promise<void>;
  /** The lake on disk, whose slices have files. */
  onDisk(): Promise<LakeHandle>;
  /** Counts a lake that uses it, and opens what it needs; {@link TestContent.release} must follow. */
  hold(): Promise<void>;
  /** Closes what was opened when the last user has released it. */
  release(): Promise<void>;
}

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of tests that take longest: they wait for browsers, servers and many processes, or build many lakes. */
const LONGEST = [
  "documents/run",
  "lake/revised-segments",
  "evolution/kill",
  "lake/merged-segments",
  "console/tabs",
  "account/servers",
  "lake/processes",
  "adapters/real-folders",
  "evolution/revisions",
  "lake/refit",
  "sql/query-process",
  "lake/read-only",
  "search/certificate",
  "evolution/faults",
  "lake/changed-fields",
  "search/graph-index",
  "evolution/damaged-slices",
  "transfer/dataset-versions",
  "transfer/lock",
  "console/jobs",
  "lake/lake-state",
  "conformance/transports",
  "transfer/pull",
  "evolution/price-changes",
  "transfer/round-trip",
  "lake/determinism",
  "console/flows",
  "console/payloads",
  "evolution/maintenance",
  "evolution/compact",
  "lake/drop-duplicates",
  "evolution/sequences",
  "search/determinism",
  "lake/hostile-slices",
  "package/declarations",
  "lake/copy-rows",
  "lake/partition",
  "account/postgres",
  "demo",
  "cluster/refit",
  "cluster/revisions",
  "cluster/prices",
  "cluster/replicas",
  "cluster/removals",
  "cluster/vector-index",
  "cluster/own-embedder",
  "cluster/eight-servers",
  "cluster/shards",
  "cluster/doors",
  "cluster/same-answers",
  "cluster/users",
  "cluster/shard-index",
  "cluster/removal-orders",
  "cluster/faults",
];

/** Starts the longest files first, where nothing is known of an earlier run: one that begins last leaves other cores idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const places = new Map(LONGEST.map((name, place) => [name, place]));
    const placeOf = ({ moduleId }: TestSpecification) =>
      places.get(moduleId.replace(/^.*\/test\/|\.(?:test|cluster)\.ts$/g, "")) ?? LONGEST.length;
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

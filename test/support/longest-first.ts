import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of tests that take longest: they wait for browsers, compilers and many processes, or build many lakes. */
const LONGEST = [
  "lake/processes",
  "documents/run",
  "console/tabs",
  "console/jobs",
  "adapters/real-folders",
  "lake/read-only",
  "lake/lake-state",
  "lake/determinism",
  "demo",
  "evolution/kill",
  "evolution/tombstones",
  "conformance/transports",
  "transfer/lock",
  "sql/query-process",
  "lake/changed-fields",
  "evolution/price-changes",
  "evolution/sequences",
  "transfer/pull",
  "evolution/faults",
  "package/declarations",
  "console/flows",
  "transfer/round-trip",
  "account/servers",
];

/** Starts the longest files first, where nothing is known of an earlier run: one that begins last leaves other cores idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const places = new Map(LONGEST.map((name, place) => [`/test/${name}.test.ts`, place]));
    const placeOf = ({ moduleId }: TestSpecification) =>
      places.get(moduleId.slice(moduleId.lastIndexOf("/test/"))) ?? LONGEST.length;
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

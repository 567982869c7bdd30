import type { JsonObject } from "../contract/json.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { Column, ColumnType } from "../slice/column.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { SLICE_FILES } from "../slice/read-slice-manifest.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";
import { licenceUrl } from "./licence.js";
import type { DatasetSlice, DatasetSummary } from "./summary.js";

/** Version of the specification that the description conforms to. */
export const CROISSANT_VERSION = "http://mlcommons.org/croissant/1.1";

/** Facts of a description that slices do not have. */
export interface DatasetFacts {
  readonly name: string;
  readonly description: string;
  /** Page of the dataset. */
  readonly url: string;
  readonly creators: readonly string[];
  /** ISO 8601 day. */
  readonly datePublished: string;
  readonly version: string;
  /** Folder of the published slices. Absent: file addresses are relative to the description. */
  readonly baseUrl?: string;
}

/** JSON-LD terms, as appendix 1 of the specification recommends them. */
const CONTEXT: JsonObject = {
  "@language": "en",
  "@vocab": "http://schema.org/",
  sc: "http://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  rai: "http://mlcommons.org/croissant/RAI/",
  dct: "http://purl.org/dc/terms/",
  conformsTo: "dct:conformsTo",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  examples: { "@id": "cr:examples", "@type": "@json" },
  ...Object.fromEntries(
    [
      "annotation",
      "arrayShape",
      "citeAs",
      "column",
      "containedIn",
      "equivalentProperty",
      "excludes",
      "extract",
      "field",
      "fileProperty",
      "fileObject",
      "fileSet",
      "format",
      "includes",
      "isArray",
      "isLiveDataset",
      "jsonPath",
      "key",
      "md5",
      "parentField",
      "recordSet",
      "references",
      "regex",
      "readLines",
      "sdVersion",
      "separator",
      "source",
      "subField",
      "transform",
      "unArchive",
      "value",
    ].map((term) => [term, `cr:${term}`]),
  ),
};

const DATA_TYPES: Readonly<Record<ColumnType, string>> = {
  VARCHAR: "sc:Text",
  "VARCHAR[]": "sc:Text",
  BIGINT: "sc:Integer",
  INTEGER: "sc:Integer",
  DOUBLE: "sc:Float",
  BOOLEAN: "sc:Boolean",
};

type Table = keyof typeof SLICE_FILES;

/**
 * Builds the machine-readable description of slices: `croissant.json`, JSON-LD of MLCommons Croissant 1.1, with the address, size
 * and SHA-256 of every file, the columns of records, raw items and vectors, and licences, languages and months.
 */
export function croissant(
  slices: readonly DatasetSlice[],
  summary: DatasetSummary,
  facts: DatasetFacts,
): JsonObject {
  const files = slices.flatMap(({ manifest }) =>
    manifest.resources.map((resource) => ({ resource, root: manifest.mirrorlake.root })),
  );
  const tables = (["records", "raw", "vectors"] as const).filter((table) =>
    files.some(({ resource }) => resource.name === table),
  );
  return {
    "@context": CONTEXT,
    "@type": "sc:Dataset",
    name: facts.name,
    conformsTo: CROISSANT_VERSION,
    description: facts.description,
    license: summary.licences.map((name) => licenceUrl(name) ?? { "@type": "sc:CreativeWork", name }),
    url: facts.url,
    creator: facts.creators.map((name) => ({ "@type": "sc:Organization", name })),
    datePublished: facts.datePublished,
    version: facts.version,
    inLanguage: summary.languages.map(({ name }) => name).filter((name) => name !== "und"),
    keywords: [...summary.domains, ...summary.platforms].map(({ name }) => name),
    temporalCoverage: `${summary.captured.first}/${summary.captured.last}`,
    isLiveDataset: false,
    distribution: [
      ...files.map(({ resource, root }): JsonObject => {
        const path = `${root}/${resource.path}`;
        return {
          "@type": "cr:FileObject",
          "@id": path,
          name: path,
          description: `${resource.rows} rows of ${resource.name}`,
          contentUrl: facts.baseUrl === undefined ? path : new URL(path, folderUrl(facts.baseUrl)).href,
          contentSize: `${resource.bytes} B`,
          encodingFormat: resource.mediatype,
          sha256: resource.hash.slice("sha256:".length),
        };
      }),
      ...tables.map(
        (table): JsonObject => ({
          "@type": "cr:FileSet",
          "@id": `${table}-files`,
          name: `${table}-files`,
          description: `The files of ${table}, one a slice.`,
          encodingFormat: SLICE_FILES[table].mediatype,
          includes: `*/${SLICE_FILES[table].path}`,
        }),
      ),
    ],
    recordSet: tables.map((table) => RECORD_SETS[table]()),
  };
}

function folderUrl(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

const RECORD_SETS: Readonly<Record<Table, () => JsonObject>> = {
  records: () => ({
    ...recordSet("records", "Unified records: one a post, product or page, with its provenance.", ["id"]),
    field: RECORD_COLUMNS.map((column) => field("records", column)),
  }),
  raw: () => ({
    ...recordSet("raw", "Platform-native items (videos, comments, prices, …); data is their JSON.", [
      "platform",
      "resource",
      "id",
    ]),
    field: RAW_COLUMNS.map((column) => field("raw", column)),
  }),
  vectors: () => ({
    ...recordSet("vectors", "The vectors that records came with.", ["id"]),
    field: [
      { ...field("vectors", { name: "id", type: "VARCHAR" }), references: { "@id": "records/id" } },
      {
        ...field("vectors", { name: "vector", type: "DOUBLE", description: "32-bit floats" }),
        isArray: true,
        arrayShape: String(VECTOR_DIMENSIONS),
      },
    ],
  }),
};

function recordSet(name: Table, description: string, key: readonly string[]): JsonObject {
  return {
    "@type": "cr:RecordSet",
    "@id": name,
    name,
    description,
    key: key.map((column) => ({ "@id": `${name}/${column}` })),
  };
}

function field(
  table: Table,
  { name, type, description }: Pick<Column<never>, "name" | "type" | "description">,
): JsonObject {
  return omitUndefined({
    "@type": "cr:Field",
    "@id": `${table}/${name}`,
    name,
    description,
    dataType: DATA_TYPES[type],
    ...(type.endsWith("[]") ? { isArray: true, arrayShape: "-1" } : {}),
    source: { fileSet: { "@id": `${table}-files` }, extract: { column: name } },
  });
}

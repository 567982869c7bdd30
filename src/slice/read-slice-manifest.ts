import { createHash } from "node:crypto";
import { SliceError } from "../contract/errors.js";
import { firstRule } from "../contract/rule-text.js";
import type { Platform } from "../contract/service/platforms.js";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import type { HashPolicy, SourceInfo } from "../contract/slice/slice-item.js";
import {
  SLICE_FORMAT_VERSION,
  type SliceFacts,
  type SliceManifest,
  SliceManifest as SliceManifestSchema,
  type SliceResource,
} from "../contract/slice/slice-manifest.js";
import { monthEndMs, monthStartMs } from "../contract/utc-calendar.js";
import { tableFields } from "./column.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS, VECTOR_ROW } from "./record-columns.js";

const PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json";
const SPDX = /^[A-Za-z0-9][A-Za-z0-9.+-]*$/;

/** Path, format, media type and columns of each file of a slice. */
export const SLICE_FILES = {
  records: {
    path: "records.parquet",
    format: "parquet",
    mediatype: "application/vnd.apache.parquet",
    schema: {
      fields: [
        ...tableFields(RECORD_COLUMNS),
        {
          name: VECTOR_ROW.name,
          type: "integer" as const,
          description: "position of the vector in vectors.arrow, from 0",
        },
      ],
      primaryKey: ["id"],
    },
  },
  raw: {
    path: "raw.parquet",
    format: "parquet",
    mediatype: "application/vnd.apache.parquet",
    schema: { fields: tableFields(RAW_COLUMNS), primaryKey: ["platform", "resource", "id"] },
  },
  vectors: {
    path: "vectors.arrow",
    format: "arrow",
    mediatype: "application/vnd.apache.arrow.file",
    schema: {
      fields: [
        { name: "id", type: "string" as const },
        { name: "vector", type: "array" as const, description: `${VECTOR_DIMENSIONS} float32` },
      ],
      primaryKey: ["id"],
    },
  },
} as const;

/** A written file of a slice. */
export interface SliceFile {
  readonly name: keyof typeof SLICE_FILES;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
}

/** Input of a slice's manifest. */
export interface SliceDescription {
  readonly info: SourceInfo;
  /** How given hashes of records were treated. */
  readonly hashes?: HashPolicy;
  readonly platform: Platform;
  readonly lang: string;
  /** Months since year 0 in UTC: year × 12 + month − 1. */
  readonly month: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly files: readonly SliceFile[];
  readonly resources: Readonly<Record<string, number>>;
  /** Slices that it revises. */
  readonly revises?: readonly SliceManifest[];
}

/** Builds the manifest of a slice. It depends only on the slice's content and source. */
export function sliceManifest(description: SliceDescription): SliceManifest {
  const { info, platform, lang, month, files } = description;
  const rows = (name: SliceFile["name"]) => files.find((file) => file.name === name)?.rows ?? 0;
  const from = iso(monthStartMs(month));
  const facts: Omit<SliceFacts, "root"> = {
    formatVersion: SLICE_FORMAT_VERSION,
    filter: { domain: platform.domain, platform: platform.slug, lang, from, to: iso(monthEndMs(month)) },
    counts: {
      records: rows("records"),
      raw: rows("raw"),
      vectors: rows("vectors"),
      resources: description.resources,
    },
    captured: { first: iso(description.firstMs), last: iso(description.lastMs) },
    embedding:
      rows("vectors") > 0 && info.vectorModel !== undefined
        ? { model: info.vectorModel, dimensions: VECTOR_DIMENSIONS }
        : null,
    ...(description.hashes === "keep" ? { hashes: "kept" as const } : {}),
    platform: {
      slug: platform.slug,
      domain: platform.domain,
      code: platform.code,
      name: platform.name,
    },
    ...revisionOf(description.revises ?? []),
  };
  const manifest: Omit<SliceManifest, "mirrorlake"> = {
    $schema: PROFILE,
    name: `${platform.domain}-${platform.slug}-${lang}-${from.slice(0, 7)}`.toLowerCase(),
    title: info.title,
    version: "1.0.0",
    licenses: [{ name: SPDX.test(info.licence) ? info.licence : "other", title: info.licence }],
    contributors: info.attribution === undefined ? undefined : [{ title: info.attribution }],
    resources: files.map(sliceResource),
  };
  const root = manifestRoot({ ...manifest, mirrorlake: facts });
  return { ...manifest, mirrorlake: { ...facts, root } } as SliceManifest;
}

/** Revision data: the revision supersedes the given slices and all that they superseded. */
export function revisionOf(revises: readonly SliceManifest[]): Pick<SliceFacts, "revision" | "supersedes"> {
  const supersedes = revises.flatMap(({ mirrorlake }) => [mirrorlake.root, ...mirrorlake.supersedes]);
  return {
    revision: 1 + Math.max(0, ...revises.map(({ mirrorlake }) => mirrorlake.revision)),
    supersedes: [...new Set(supersedes)].sort(),
  };
}

/**
 * Root hash of a slice: SHA-256 of the canonical JSON (RFC 8785) of its manifest without `mirrorlake.root`. The manifest has
 * each file's SHA-256, so the root covers every byte of the slice.
 */
export function manifestRoot(manifest: { readonly mirrorlake: object }): string {
  const { root: _, ...facts } = manifest.mirrorlake as Record<string, unknown>;
  const text = canonicalJson({ ...manifest, mirrorlake: facts });
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** The text of `datapackage.json`. @throws SliceError `slice_manifest_invalid` if the schema refuses it */
export function manifestText(manifest: SliceManifest): string {
  const { error } = SliceManifestSchema.safeParse(manifest);
  if (error !== undefined) {
    throw new SliceError("slice_manifest_invalid", firstRule(error, "the manifest"), {
      value: manifest.name,
      remedy: "correct the source's title, licence or platforms",
      cause: error,
    });
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The manifest entry of a file. */
export function sliceResource({ name, bytes, sha256, rows }: SliceFile): SliceResource {
  const { path, format, mediatype, schema } = SLICE_FILES[name];
  return {
    name,
    type: "table",
    path,
    format,
    mediatype,
    bytes,
    hash: `sha256:${sha256}`,
    rows,
    schema: { fields: [...schema.fields], primaryKey: [...schema.primaryKey] },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

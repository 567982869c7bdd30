import { join } from "node:path";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { Database } from "../duckdb/database.js";
import { quoteName } from "../duckdb/quote-sql.js";
import { SLICE_FILES } from "../slice/read-slice-manifest.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";

/** A slice and its folder. */
export interface DatasetSlice {
  readonly dir: string;
  readonly manifest: SliceManifest;
}

/** Number of records and raw items under a name. */
export interface Counts {
  readonly name: string;
  readonly records: number;
  readonly raw: number;
}

/** Counts of slices taken together. */
export interface DatasetSummary {
  readonly titles: readonly string[];
  readonly slices: number;
  readonly bytes: number;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  /** By name, ascending; months of capture as `2026-05`. */
  readonly domains: readonly Counts[];
  readonly platforms: readonly Counts[];
  readonly languages: readonly Counts[];
  readonly months: readonly Counts[];
  /** Raw items by `platform/resource`. */
  readonly resources: readonly Counts[];
  /** Record columns that have values, and the number of records with one. */
  readonly fields: readonly { readonly name: string; readonly records: number }[];
  readonly licences: readonly string[];
  readonly contributors: readonly string[];
  /** Models of the downloaded vectors, and the number of records with one. */
  readonly models: readonly {
    readonly name: string;
    readonly dimensions: number;
    readonly vectors: number;
  }[];
  /** Oldest and newest capture, ISO 8601. */
  readonly captured: { readonly first: string; readonly last: string };
}

/** Counts the content of slices. All but the field counts come from the manifests; those are read from the files. */
export async function summarise(
  slices: readonly DatasetSlice[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<DatasetSummary> {
  const manifests = slices.map(({ manifest }) => manifest);
  const facts = manifests.map(({ mirrorlake }) => mirrorlake);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const by = (key: (of: SliceManifest["mirrorlake"]) => string): Counts[] =>
    [...grouped(facts, key)]
      .map(([name, of]) => ({
        name,
        records: sum(of.map(({ counts }) => counts.records)),
        raw: sum(of.map(({ counts }) => counts.raw)),
      }))
      .sort(byName);
  const resources = new Map<string, number>();
  for (const { filter, counts } of facts) {
    for (const [resource, count] of Object.entries(counts.resources)) {
      const name = `${filter.platform}/${resource}`;
      resources.set(name, (resources.get(name) ?? 0) + count);
    }
  }
  const withVectors = facts.flatMap(({ embedding, counts }) =>
    embedding === null ? [] : [{ ...embedding, vectors: counts.vectors }],
  );
  const unique = (texts: readonly string[]) => [...new Set(texts)].sort();
  return {
    titles: unique(manifests.map(({ title }) => title)),
    slices: slices.length,
    bytes: sum(manifests.flatMap((manifest) => manifest.resources.map(({ bytes }) => bytes))),
    records: sum(facts.map(({ counts }) => counts.records)),
    raw: sum(facts.map(({ counts }) => counts.raw)),
    vectors: sum(facts.map(({ counts }) => counts.vectors)),
    domains: by(({ filter }) => filter.domain),
    platforms: by(({ filter }) => filter.platform),
    languages: by(({ filter }) => filter.lang),
    months: by(({ filter }) => filter.from.slice(0, 7)),
    resources: [...resources].map(([name, raw]) => ({ name, records: 0, raw })).sort(byName),
    fields: await countFields(slices, options.signal),
    licences: unique(
      manifests.flatMap(({ licenses }) => licenses.map(({ title, name }) => title ?? name ?? "unknown")),
    ),
    contributors: unique(
      manifests.flatMap(({ contributors }) => (contributors ?? []).map(({ title }) => title)),
    ),
    models: [...grouped(withVectors, ({ model }) => model)]
      .map(([name, of]) => ({
        name,
        dimensions: of[0]!.dimensions,
        vectors: sum(of.map(({ vectors }) => vectors)),
      }))
      .sort(byName),
    captured: {
      first: facts.map(({ captured }) => captured.first).sort()[0]!,
      last: facts
        .map(({ captured }) => captured.last)
        .sort()
        .at(-1)!,
    },
  };
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

async function countFields(
  slices: readonly DatasetSlice[],
  signal: AbortSignal | undefined,
): Promise<DatasetSummary["fields"]> {
  const files = slices
    .filter(({ manifest }) => manifest.mirrorlake.counts.records > 0)
    .map(({ dir }) => join(dir, SLICE_FILES.records.path));
  if (files.length === 0) return [];
  const db = await Database.openKept(":memory:", { threads: 1 });
  try {
    const counts = RECORD_COLUMNS.map(({ name }) => `count(${quoteName(name)}) AS ${quoteName(name)}`);
    const sql = `SELECT ${counts.join(", ")} FROM read_parquet(?)`;
    for await (const [row] of db.stream<Record<string, number>>(sql, [files], signal)) {
      return RECORD_COLUMNS.map(({ name }) => ({ name, records: row?.[name] ?? 0 })).filter(
        ({ records }) => records > 0,
      );
    }
    return [];
  } finally {
    await db.close();
  }
}

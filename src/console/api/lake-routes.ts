import { basename } from "node:path";
import { z } from "zod";
import type { Removal } from "../../contract/lake/removal.js";
import { Domain } from "../../contract/service/platforms.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { WithheldSlice } from "../../lake/lake-handle.js";
import { readRemovals } from "../../lake/removals/removals-file.js";
import type { LakeAnswer, RemovalsAnswer, SliceAnswer, SlicesAnswer } from "../answers.js";
import { CONSOLE_DEFAULTS } from "../defaults.js";
import { route } from "../route.js";
import { numberParam } from "../shared-params.js";

/** Every slice of the open generation. */
const ALL = { offset: 0, limit: Number.POSITIVE_INFINITY } as const;

/** What the lake is. */
export const lakeRoute = route({
  method: "GET",
  path: "lake",
  params: z.strictObject({}),
  answer: async (_params, { lake, version, writable, facts, asOf }): Promise<LakeAnswer> => {
    const { lake: open, service } = lake;
    const { corpus, generation } = open;
    const { manifests, total } = corpus.slices(ALL);
    const named = new Set(service.catalogue.map(({ platform }) => platform));
    const platforms = await facts.get("platforms", async () =>
      corpus.platforms().map(({ slug, name, domain }) => ({
        slug,
        name,
        domain,
        records: corpus.tally.platforms.get(slug) ?? 0,
      })),
    );
    return {
      version,
      lake: basename(open.path),
      id: facts.id,
      generation,
      writable,
      records: corpus.recordCount,
      slices: total,
      as_of: new Date(asOf.ms()).toISOString(),
      as_of_rule: typeof asOf.rule === "number" ? "instant" : asOf.rule,
      newest: new Date(corpus.asOfMs).toISOString(),
      platforms: platforms.filter(({ slug, records }) => records > 0 || named.has(slug)),
      languages: [...new Set(manifests.map(({ mirrorlake }) => mirrorlake.filter.lang))].sort(),
    };
  },
});

/** The slices of the lake, page by page. */
export const slicesRoute = route({
  method: "GET",
  path: "slices",
  params: z.strictObject({
    domain: Domain.optional(),
    platform: z.string().optional(),
    lang: z.string().optional(),
    offset: numberParam(0, 1_000_000).default(0),
    limit: numberParam(1, CONSOLE_DEFAULTS.pageRows).default(50),
  }),
  answer: async (query, { lake }): Promise<SlicesAnswer> => {
    const { corpus, withheld } = lake.lake;
    const { manifests, total } = corpus.slices(query);
    return { items: manifests.map((manifest) => sliceAnswer(manifest, withheld)), total };
  },
});

function sliceAnswer(
  { name, title, licenses, resources, mirrorlake }: SliceManifest,
  withheld: ReadonlyMap<string, WithheldSlice>,
): SliceAnswer {
  const { root, filter, captured, counts, embedding, revision } = mirrorlake;
  const removed = withheld.get(root);
  return {
    root,
    name,
    title,
    domain: filter.domain,
    platform: filter.platform,
    lang: filter.lang,
    first: captured.first,
    last: captured.last,
    records: counts.records,
    raw: counts.raw,
    vectors: counts.vectors,
    bytes: resources.reduce((sum, { bytes }) => sum + bytes, 0),
    model: embedding?.model ?? null,
    licence: licenses.map((licence) => licence.title ?? licence.name).join(", "),
    revision,
    withheld: (removed?.records ?? 0) + (removed?.raw ?? 0),
  };
}

/** The tombstones of the lake, newest first. */
export const removalsRoute = route({
  method: "GET",
  path: "removals",
  params: z.strictObject({
    offset: numberParam(0, 100_000_000).default(0),
    limit: numberParam(1, CONSOLE_DEFAULTS.pageRows).default(50),
  }),
  answer: async ({ offset, limit }, { lake }): Promise<RemovalsAnswer> => {
    const list = await readRemovals(lake.lake.path);
    const entries = [...list.entries()].reverse();
    return {
      total: entries.length,
      derived: entries.filter(({ derived }) => derived).length,
      items: entries.slice(offset, offset + limit).map(({ removal, at, reason, derived = false }) => ({
        kind: removal.kind,
        target: targetOf(removal),
        at,
        reason,
        derived,
      })),
    };
  },
});

function targetOf(removal: Removal): string {
  switch (removal.kind) {
    case "record":
      return removal.id;
    case "raw":
      return `${removal.platform}/${removal.resource}/${removal.id}`;
    case "author":
      return `${removal.platform ?? "every platform"}: ${removal.id}`;
    case "hash":
      return removal.hash;
    case "quote":
      return `quoted in ${removal.record}`;
    case "slice":
      return removal.root;
  }
}

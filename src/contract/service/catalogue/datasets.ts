import { z } from "zod";
import { SliceManifest } from "../../slice/slice-manifest.js";
import { defineEndpoint } from "../endpoint.js";
import { Access, DirectoryEntry, FreshnessClass } from "../platform-directory.js";
import { Domain, PlatformSlug } from "../platforms.js";
import { Cursor, DayOrInstant, integer, isOrdered, ORDERED } from "../shared-params.js";
import { LanguageTag } from "../unified-record.js";

/**
 * A manifest with its download path, relative to the service's base URL like an endpoint's path. The slice's files are beside it,
 * under the paths of its resources. Null for a slice that is withheld because it contains removed data.
 */
export const DownloadableSlice = SliceManifest.extend({
  download_url: z
    .string()
    .nullable()
    .describe("Path of the manifest on the server; its files stand beside it."),
});
export type DownloadableSlice = Readonly<z.infer<typeof DownloadableSlice>>;

/**
 * A page of slice manifests. service.md does not show the response shape (section 4.3). Assumed: the paging fields of the comments
 * page around Frictionless Data Package v2 descriptors (decisions.md, "Dataset slices").
 */
export const SlicesPage = z.strictObject({
  items: z.array(DownloadableSlice),
  cursor: z.number().int().min(0),
  has_more: z.boolean(),
  total: z.number().int().min(0),
});
export type SlicesPage = Readonly<z.infer<typeof SlicesPage>>;

/**
 * L2 dataset slices (service.md section 4.3: the path and the four filters are specified, their names assumed) and the
 * platform directory (section 1: the content of an entry is specified, the endpoint assumed).
 */
export const DATASET_ROWS = [
  defineEndpoint({
    id: "datasets.slices",
    group: "datasets",
    method: "GET",
    path: "/v1/datasets/slices",
    operation: "slices",
    scope: "datasets",
    price: "0.000000",
    label: "specified",
    summary: "Manifests of downloadable dataset slices, by domain, platform, language and time window.",
    params: () =>
      z
        .strictObject({
          domain: Domain.optional(),
          platform: PlatformSlug.optional(),
          lang: LanguageTag.optional(),
          from: DayOrInstant.optional(),
          to: DayOrInstant.optional(),
          limit: integer(1, 100, 20),
          cursor: Cursor,
        })
        .refine(isOrdered, ORDERED),
    data: SlicesPage,
    example: { domain: "ecommerce", limit: 10 },
  }),
  defineEndpoint({
    id: "datasets.platforms",
    group: "datasets",
    method: "GET",
    path: "/v1/datasets/platforms",
    operation: "directory",
    scope: "datasets",
    price: "0.000000",
    summary: "The platform directory: capabilities, freshness class and access of every platform.",
    params: () =>
      z.strictObject({
        platform: PlatformSlug.optional(),
        domain: Domain.optional(),
        freshness_class: FreshnessClass.optional(),
        access: Access.optional(),
      }),
    data: z.array(DirectoryEntry),
    example: { domain: "social" },
  }),
] as const;

import type { EndpointValues } from "../contract/service/catalogue.js";
import { coverageOf, type DirectoryEntry } from "../contract/service/platform-directory.js";
import { directoryHint } from "./directory-hint.js";
import type { Handler } from "./handler.js";

/** An empty page, for counting slices. */
const NONE = { offset: 0, limit: 0 };

/**
 * Lists the platforms (service.md section 1: social platforms and e-commerce marketplaces), including a corpus's own.
 * Every platform supports search (L1, MCP) and slices (L2).
 */
export const directory: Handler<EndpointValues<"datasets.platforms">> = async (
  params,
  { corpus, catalogue },
) => {
  const platforms = corpus.platforms();
  const data = platforms
    .filter(({ domain }) => domain !== "web")
    .map(
      (platform): DirectoryEntry => ({
        platform: platform.slug,
        name: platform.name,
        domain: platform.domain,
        code: platform.code,
        ...coverageOf(platform),
        capabilities: [
          "search",
          "slices",
          ...catalogue.filter((row) => row.platform === platform.slug).map((row) => row.resource!),
        ],
        access: ["L1", "L2", "MCP"],
        records: corpus.tally.platforms.get(platform.slug) ?? 0,
        slices: corpus.slices({ platform: platform.slug, ...NONE }).total,
      }),
    )
    .filter(
      (entry) =>
        (params.platform === undefined || entry.platform === params.platform) &&
        (params.domain === undefined || entry.domain === params.domain) &&
        (params.freshness_class === undefined || entry.freshness_class === params.freshness_class) &&
        (params.access === undefined || entry.access.includes(params.access)),
    );
  return { data, empty: data.length === 0, headers: directoryHint(params.platform, platforms) };
};

import type { EndpointValues } from "../contract/service/catalogue.js";
import { windowOf } from "../contract/service/shared-params.js";
import { datasetPath } from "../contract/slice/dataset-paths.js";
import { MANIFEST_FILE } from "../contract/slice/slice-manifest.js";
import { filterHint } from "./filter-hint.js";
import type { Handler } from "./handler.js";

/** Lists the manifests of installed slices that match a filter (service.md section 4.3; decisions.md, "Dataset slices"). */
export const slices: Handler<EndpointValues<"datasets.slices">> = async (params, { corpus }) => {
  const { manifests, total } = corpus.slices({
    domain: params.domain,
    platform: params.platform,
    lang: params.lang,
    ...windowOf(params),
    offset: params.cursor,
    limit: params.limit,
  });
  const { slices: withheld } = corpus.removed;
  const items = manifests.map((manifest) => {
    const { root } = manifest.mirrorlake;
    const download_url = Object.hasOwn(withheld, root) ? null : datasetPath(root, MANIFEST_FILE);
    return { ...manifest, download_url };
  });
  const cursor = params.cursor + items.length;
  const { domain, platform, lang } = params;
  const wanted = {
    domains: domain && [domain],
    platforms: platform === undefined ? undefined : [platform],
    langs: lang === undefined ? undefined : [lang],
  };
  return {
    headers: total === 0 ? filterHint(corpus, wanted) : {},
    data: { items, cursor, has_more: items.length > 0 && cursor < total, total },
    empty: items.length === 0,
  };
};

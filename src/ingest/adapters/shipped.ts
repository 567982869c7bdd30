import { compileMapping } from "../mapping/compile.js";
import type { Adapter } from "./adapter.js";
import { CASSETTE } from "./cassette/cassette.js";
import { GDELT } from "./gdelt/gdelt.js";
import { BEIR } from "./mappings/beir.js";
import { DOCUMENTS_WITH_VECTORS } from "./mappings/documents-with-vectors.js";
import { INDONLU } from "./mappings/indonlu.js";
import { MARKETPLACE_REVIEWS } from "./mappings/marketplace-reviews.js";
import { NEWS_SENTIMENT } from "./mappings/news-sentiment.js";
import { PRODUCTS_WITH_VECTORS } from "./mappings/products-with-vectors.js";
import { VIDEO_TRANSCRIPTS } from "./mappings/video-transcripts.js";
import { MICROBLOG_TREE } from "./microblog/microblog-tree.js";
import { PRICE_HISTORY } from "./price-history/price-history.js";
import { SHORT_VIDEO_NATIVE } from "./short-video/short-video-native.js";
import { VIDEO_COMMUNITY } from "./video-community/video-community.js";

const MAPPINGS = [
  BEIR,
  DOCUMENTS_WITH_VECTORS,
  INDONLU,
  MARKETPLACE_REVIEWS,
  NEWS_SENTIMENT,
  PRODUCTS_WITH_VECTORS,
  VIDEO_TRANSCRIPTS,
];

const ADAPTERS: readonly Adapter[] = [
  GDELT,
  MICROBLOG_TREE,
  PRICE_HISTORY,
  SHORT_VIDEO_NATIVE,
  VIDEO_COMMUNITY,
];

/** The adapters shipped with Mirrorlake, sorted by name. */
export function shippedAdapters(): readonly Adapter[] {
  const own = ADAPTERS.map((adapter): Adapter => ({ ...adapter, hashes: "computed" }));
  // The hashes of recorded records are the remote service's own.
  return [...MAPPINGS.map(compileMapping), ...own, CASSETTE].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

import { PLATFORMS } from "../contract/platforms.js";
import type { RawItem, SliceItem, SourceInfo } from "../contract/slice-item.js";
import { seededRandom } from "./random.js";
import { sampleCreators, sampleRelations } from "./sample-creators.js";
import { creatorId } from "./sample-item.js";
import { SAMPLE_PARTS } from "./sample-parts.js";
import { SAMPLE_PLATFORMS } from "./sample-platforms.js";
import { sampleWholes } from "./sample-wholes.js";

/** What is true of the sample as a source. */
export const SAMPLE_INFO: SourceInfo = { title: "Sample lake", licence: "CC0-1.0", platforms: [] };

/**
 * Made-up items that answer every one of the shipped endpoints, about 700: records and raw items of each platform, with
 * comments and replies, danmaku, transcripts, reviews, prices, creators and their relations. The same seed gives the same
 * items. The catalogue's examples name ids that are in it.
 */
export function sampleItems(options: { readonly seed?: number } = {}): readonly SliceItem[] {
  const random = seededRandom(options.seed ?? 1);
  return SAMPLE_PLATFORMS.flatMap(({ slug, whole, creators, market }) => {
    const platform = PLATFORMS.find((known) => known.slug === slug);
    if (platform === undefined) throw new RangeError(`No such platform: ${slug}`);
    const context = { platform, random };
    const raws: RawItem[] = [
      ...(creators === true ? sampleCreators(context) : []),
      ...(market === true ? sampleRelations(context) : []),
      ...(market === true ? SAMPLE_PARTS.price(context, { id: creatorId(1), n: 1, price: 1200 }) : []),
    ];
    return [
      ...(whole === undefined ? [] : sampleWholes(context, whole)),
      ...raws.map((raw): SliceItem => ({ kind: "raw", raw })),
    ];
  });
}

import type { SliceItem } from "../../../contract/slice/slice-item.js";
import { platformsBySlug } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { startRun } from "../../mapping/run.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { type SampleCandidate, SampleComments } from "../sample-comments.js";
import { type NativeCreator, type NativeTopic, type NativeVideo, readNativeRow } from "./native-shapes.js";
import {
  type Conversion,
  rawComment,
  rawCreator,
  rawTopic,
  rawVideo,
  videoRecord,
} from "./short-video-items.js";

const SHORT_VIDEO = "short-video";

/** What rows leave for a video: a version of it, or a comment to choose from. */
type VideoEntry =
  | { readonly video: NativeVideo; readonly origin: Origin }
  | { readonly comment: SampleCandidate };

/** What videos and accounts leave for a creator or topic. */
type CatalogueEntry =
  | { readonly creator: NativeCreator; readonly origin: Origin; readonly rows: number }
  | { readonly topic: NativeTopic; readonly origin: Origin };

/** Fields of the first, then those of the others that it lacks. */
function merge<T extends object>(first: T, second: T): T {
  const told = Object.entries(first).filter(([, value]) => value !== undefined);
  return { ...second, ...(Object.fromEntries(told) as T) };
}

/** Versions of one video, the first found first, and the best of its comments. */
class VideoFold implements GroupFold<VideoEntry> {
  origin: Origin | undefined;
  rows = 0;
  private video: NativeVideo | undefined;
  private readonly comments = new SampleComments();
  private readonly conversion: Conversion;
  private readonly catalogue: ExternalSort<CatalogueEntry>;

  constructor(conversion: Conversion, catalogue: ExternalSort<CatalogueEntry>) {
    this.conversion = conversion;
    this.catalogue = catalogue;
  }

  add(entry: VideoEntry): void {
    if ("comment" in entry) {
      this.comments.add(entry.comment);
      return;
    }
    this.rows++;
    this.origin ??= entry.origin;
    this.video = this.video === undefined ? entry.video : merge(this.video, entry.video);
  }

  async finish(): Promise<readonly SliceItem[]> {
    const video = this.video;
    // Comments of a video that is not in the input: their raw items are out already.
    if (video === undefined) return [];
    const record = videoRecord(video, this.comments.texts(), this.conversion);
    const raw = rawVideo(video, record);
    const origin = this.origin!;
    await this.catalogue.add(`creator ${video.creator.uid}`, { creator: video.creator, origin, rows: 0 });
    for (const topic of video.topics) await this.catalogue.add(`topic ${topic.id}`, { topic, origin });
    return [
      { kind: "record", record },
      { kind: "raw", raw },
    ];
  }
}

/** All that is known of one creator, or of one topic and how many videos carry it. */
class CatalogueFold implements GroupFold<CatalogueEntry> {
  origin: Origin | undefined;
  rows = 0;
  private creator: NativeCreator | undefined;
  private topic: NativeTopic | undefined;
  private works = 0;
  private readonly conversion: Conversion;

  constructor(conversion: Conversion) {
    this.conversion = conversion;
  }

  add(entry: CatalogueEntry): void {
    this.origin ??= entry.origin;
    if ("creator" in entry) {
      this.rows += entry.rows;
      this.creator = this.creator === undefined ? entry.creator : merge(this.creator, entry.creator);
    } else {
      this.works++;
      this.topic = this.topic === undefined ? entry.topic : merge(this.topic, entry.topic);
    }
  }

  finish(): readonly SliceItem[] {
    if (this.creator !== undefined) return [{ kind: "raw", raw: rawCreator(this.creator, this.conversion) }];
    const raw = rawTopic(this.topic!, this.works, this.conversion);
    return [{ kind: "raw", raw }];
  }
}

/**
 * A short-video platform's own API answers, in the envelopes of its app and its website: videos become records and raw
 * videos, comments and replies raw comments, accounts raw creators, challenges raw topics. The same video, creator or topic
 * in several answers is one, the first answer's fields first. Replies hang under the top-level comment, as on the platform.
 */
export const SHORT_VIDEO_NATIVE: Adapter = {
  name: "short-video-native",
  info: { title: "Native short-video answers", licence: "unknown", platforms: [] },
  sources: [
    { name: "video_lines", files: ["*video*.jsonl"], read: { as: "jsonl" } },
    { name: "comment_lines", files: ["*comment*.jsonl"], read: { as: "jsonl" } },
    { name: "comment_answers", files: ["*comment*.json"], read: { as: "json", rows: "data.comments" } },
    {
      name: "detail_answers",
      files: ["*detail*.json"],
      read: { as: "json", rows: "data.itemInfo.itemStruct" },
    },
    {
      name: "list_answers",
      files: ["*video*.json", "*tag*.json", "*user*.json"],
      read: { as: "json", rows: "data" },
    },
  ],
  async *convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, false);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get(SHORT_VIDEO)! };
    const videos = new ExternalSort<VideoEntry>(context);
    const catalogue = new ExternalSort<CatalogueEntry>(context);
    try {
      yield* convertRows(rows, async ({ value, file, line }) => {
        const origin = { file, line };
        const row = readNativeRow(value);
        if (row.kind === "video") {
          await videos.add(row.video.id, { video: row.video, origin });
          return [];
        }
        if (row.kind === "creator") {
          await catalogue.add(`creator ${row.creator.uid}`, { creator: row.creator, origin, rows: 1 });
          return [];
        }
        const { text, likes: rank, createdAt: at, videoId } = row.comment;
        const raw = rawComment(row.comment, conversion);
        if (row.comment.replyTo === undefined) await videos.add(videoId, { comment: { text, rank, at } });
        return [{ kind: "raw", raw }];
      });
      yield* foldGroups(videos, () => new VideoFold(conversion, catalogue));
      yield* foldGroups(catalogue, () => new CatalogueFold(conversion));
    } finally {
      await videos.close();
      await catalogue.close();
    }
  },
};

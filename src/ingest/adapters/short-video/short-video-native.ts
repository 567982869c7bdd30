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

/** Entries of a video's group: a version of the video, or a sample comment. */
type VideoEntry =
  | { readonly video: NativeVideo; readonly origin: Origin }
  | { readonly comment: SampleCandidate };

/** Entries of a creator's or topic's group. */
type CatalogueEntry =
  | { readonly creator: NativeCreator; readonly origin: Origin; readonly rows: number }
  | { readonly topic: NativeTopic; readonly origin: Origin };

/** Fields of the first object, then those of the second that the first lacks. */
function merge<T extends object>(first: T, second: T): T {
  const defined = Object.entries(first).filter(([, value]) => value !== undefined);
  return { ...second, ...(Object.fromEntries(defined) as T) };
}

/** Folds the versions of one video, the first found taking precedence, and its sample comments. */
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
    // The video is not in the input; the raw items of its comments are written already.
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

/** Folds one creator, or one topic with the number of its videos. */
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
 * A short-video platform's own API answers, in the envelopes of its app and its website. Videos become records and raw videos;
 * comments and replies raw comments; accounts raw creators; challenges raw topics. The same video, creator or topic in several
 * answers is merged, the first answer taking precedence. Replies refer to the top-level comment, as on the platform.
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
      yield* convertRows(rows, async ({ value, file, line, element }) => {
        const origin = { file, line, element };
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

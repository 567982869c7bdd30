import { omitUndefined } from "../../../contract/omit-undefined.js";
import type { SliceItem } from "../../../contract/slice/slice-item.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, platformsBySlug, withSource } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { startRun } from "../../mapping/run.js";
import { FieldError } from "../../values/field-error.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { Fields } from "../row-fields.js";
import { SampleComments } from "../sample-comments.js";
import { DanmakuHistogram } from "./danmaku-peak.js";
import {
  type CommentPart,
  type Conversion,
  labelledRecord,
  languageOf,
  partKey,
  rawComment,
  rawDanmaku,
  readPart,
} from "./video-community-items.js";

const SOURCE = "video community comments and danmaku";

/** Entries of a video's group: a sample comment, or the offset of a danmaku. */
type VideoEntry =
  | { readonly comment: { readonly text: string; readonly rank: number; readonly at: string } }
  | { readonly offsetS: number };

/** Merges the parts of one comment: the id and the location of the file that has one, the higher like count. */
class CommentFold implements GroupFold<CommentPart> {
  origin: Origin | undefined;
  rows = 0;
  private comment: CommentPart | undefined;
  private readonly conversion: Conversion;
  private readonly videos: ExternalSort<VideoEntry>;

  constructor(conversion: Conversion, videos: ExternalSort<VideoEntry>) {
    this.conversion = conversion;
    this.videos = videos;
  }

  add(part: CommentPart): void {
    this.origin ??= part.origin;
    const known = this.comment;
    this.comment = {
      ...part,
      rpid: known?.rpid ?? part.rpid,
      location: known?.location ?? part.location,
      likes: Math.max(known?.likes ?? 0, part.likes),
    };
    this.rows++;
  }

  async finish(): Promise<readonly SliceItem[]> {
    const comment = this.comment!;
    const raw = rawComment(comment, this.conversion);
    const { text, likes: rank, createdAt: at } = comment;
    await this.videos.add(comment.video, { comment: { text, rank, at } });
    return [{ kind: "raw", raw }];
  }
}

/** Folds a video known only by its comments and danmaku. Its counts cover the input only. */
class VideoFold implements GroupFold<VideoEntry> {
  readonly origin = undefined;
  // Its comments and danmaku are raw items of their own.
  readonly rows = 0;
  private readonly video: string;
  private readonly conversion: Conversion;
  private readonly sample = new SampleComments();
  private readonly danmaku = new DanmakuHistogram();
  private comments = 0;

  constructor(video: string, conversion: Conversion) {
    this.video = video;
    this.conversion = conversion;
  }

  add(entry: VideoEntry): void {
    if ("offsetS" in entry) this.danmaku.add(entry.offsetS);
    else {
      this.comments++;
      this.sample.add(entry.comment);
    }
  }

  finish(): readonly SliceItem[] {
    const { run, platform } = this.conversion;
    const thread = this.sample.texts();
    const peak = this.danmaku.peak();
    const record = buildRecord(
      {
        id: this.video,
        lang: languageOf((thread ?? []).join("\n"), run),
        metrics: { comments: this.comments, danmaku: this.danmaku.count },
        comment_thread: thread,
        extra: omitUndefined({ source_id: this.video, danmaku_peak_s: peak }),
      },
      platform,
      run.capturedAt(undefined),
    );
    const raw = buildRaw({
      platform: platform.slug,
      resource: "video",
      id: this.video,
      lang: record.lang,
      captured_at: record.prov.ts,
      score: this.comments + this.danmaku.count,
      data: withSource(record, SOURCE),
    });
    return [
      { kind: "record", record },
      { kind: "raw", raw },
    ];
  }
}

/**
 * A video community's comments (`comments_<video>_….csv`, where two files may describe the same comments), danmaku
 * (`danmaku*.csv`) and comments with an emotion label (`labeled_comments.csv`). Danmaku without a video id belong to the only
 * video that has comments. A labelled comment, of which only the text is known, becomes a record.
 */
export const VIDEO_COMMUNITY: Adapter = {
  name: "video-community",
  info: { title: "Video community comments and danmaku", licence: "unknown", platforms: [] },
  sources: [
    { name: "labelled", files: ["labeled_comments*.csv"], read: { as: "csv" } },
    { name: "comments", files: ["comments_*.csv"], read: { as: "csv" } },
    { name: "danmaku", files: ["danmaku*.csv"], read: { as: "csv" } },
  ],
  async *convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, false);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get("video-community")! };
    const comments = new ExternalSort<CommentPart>(context);
    const videos = new ExternalSort<VideoEntry>(context);
    const named = new Set<string>();
    const onlyVideo = () => {
      if (named.size === 1) return [...named][0]!;
      throw new FieldError("", "names no video, and the comments are not of one", named.size);
    };
    try {
      yield* convertRows(rows, async ({ source, file, line, value }) => {
        if (source === "labelled") return [labelledRecord(value, conversion)];
        if (source === "comments") {
          const part = readPart(value, file, line);
          named.add(part.video);
          await comments.add(partKey(part), part);
          return [];
        }
        const video = new Fields(value).text("video_id", "bvid") ?? onlyVideo();
        const raw = rawDanmaku(value, video, conversion);
        await videos.add(video, { offsetS: raw.offset_s });
        return [{ kind: "raw", raw }];
      });
      yield* foldGroups(comments, () => new CommentFold(conversion, videos));
      yield* foldGroups(videos, (video) => new VideoFold(video, conversion));
    } finally {
      await comments.close();
      await videos.close();
    }
  },
};

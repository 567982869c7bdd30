import { omitUndefined } from "../../../contract/omit-undefined.js";
import type { Platform } from "../../../contract/service/platforms.js";
import type { RawItem, SliceItem } from "../../../contract/slice/slice-item.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { buildRecord, platformsBySlug, withOwnHash, withSource } from "../../mapping/build-record.js";
import { ExternalSort } from "../../mapping/external-sort.js";
import { type Run, startRun } from "../../mapping/run.js";
import { authorHash } from "../../values/author-hash.js";
import { FieldError } from "../../values/field-error.js";
import { detectLanguage } from "../../values/language/detect-language.js";
import type { Adapter } from "../adapter.js";
import { convertRows } from "../convert-rows.js";
import { foldGroups, type GroupFold, type Origin } from "../fold-groups.js";
import { type SampleCandidate, SampleComments } from "../sample-comments.js";
import {
  commentTime,
  isYearless,
  type MicroblogComment,
  type MicroblogPost,
  readComment,
  readPost,
} from "./microblog-rows.js";

const SOURCE = "microblog posts and comment trees";

/** Entries of a post's group: the post, a sample comment, or a comment that needs the post's year. */
type PostEntry =
  | { readonly post: MicroblogPost; readonly origin: Origin }
  | { readonly sample: SampleCandidate }
  | { readonly waiting: CountedComment; readonly origin: Origin; readonly rows: number };

/** Entries of a comment's group: the comment, or the id of a direct answer. */
type CommentEntry =
  | { readonly comment: MicroblogComment; readonly origin: Origin }
  | { readonly answer: string };

/** A comment with the number of its direct answers. */
interface CountedComment extends MicroblogComment {
  readonly answers: number;
}

interface Conversion {
  readonly run: Run;
  readonly platform: Platform;
}

/** The platform is Chinese, so a text of undetermined language (an emoticon, an empty text) counts as Chinese. */
function languageOf(text: string, run: Run): string {
  if (run.language !== undefined) return run.language;
  const language = detectLanguage(text);
  return language === "und" ? "zh" : language;
}

function rawComment(comment: CountedComment, createdAt: string, { run, platform }: Conversion): RawItem {
  return buildRaw({
    platform: platform.slug,
    resource: "comment",
    id: comment.mid,
    parent: comment.postMid,
    reply_to: comment.parent,
    author: comment.uid,
    lang: languageOf(comment.text, run),
    captured_at: run.capturedAt(undefined),
    created_at: createdAt,
    score: comment.likes + comment.answers,
    data: {
      cid: comment.mid,
      text: comment.text,
      likes: comment.likes,
      ip_location: "",
      reply_count: comment.answers,
      created_at: createdAt,
      is_hot: false,
      images: [],
      author: {
        uid_hash: authorHash(comment.uid, run.authorSalt),
        nickname: "",
        uid: comment.uid,
        sec_uid: "",
        unique_id: null,
      },
    },
  });
}

function postItems(
  post: MicroblogPost,
  thread: string[] | undefined,
  { run, platform }: Conversion,
): readonly SliceItem[] {
  const record = buildRecord(
    {
      id: post.mid,
      lang: languageOf(post.text ?? "", run),
      text: post.text,
      author: {
        uid_hash: authorHash(post.uid, run.authorSalt),
        followers: post.followers,
      },
      metrics: omitUndefined({
        likes: post.likes,
        comments: post.comments,
        shares: post.reposts,
      }),
      comment_thread: thread,
      extra: omitUndefined({
        source_id: post.mid,
        published_at: post.createdAt,
        client: post.client,
        images: post.images,
        has_url: post.hasUrl,
        location: post.location,
        veracity: post.label,
      }),
    },
    platform,
    run.capturedAt(undefined),
  );
  const whole = withSource(record, SOURCE);
  const raw = buildRaw({
    platform: platform.slug,
    resource: "post",
    id: post.mid,
    author: post.uid,
    lang: record.lang,
    captured_at: record.prov.ts,
    created_at: post.createdAt,
    score: (post.likes ?? 0) + (post.reposts ?? 0) + (post.comments ?? 0),
    data: withOwnHash({
      ...whole,
      author: { ...record.author, nickname: post.nickname, uid: post.uid },
    }),
  });
  return [
    { kind: "record", record },
    { kind: "raw", raw },
  ];
}

/** Folds the rows of one comment, and its direct answers. */
class CommentFold implements GroupFold<CommentEntry> {
  origin: Origin | undefined;
  rows = 0;
  private comment: MicroblogComment | undefined;
  private readonly answers = new Set<string>();
  private readonly conversion: Conversion;
  private readonly posts: ExternalSort<PostEntry>;

  constructor(conversion: Conversion, posts: ExternalSort<PostEntry>) {
    this.conversion = conversion;
    this.posts = posts;
  }

  add(entry: CommentEntry): void {
    if ("answer" in entry) {
      this.answers.add(entry.answer);
      return;
    }
    this.origin ??= entry.origin;
    // The source has some comments twice, once with and once without the list of their answers or their parent.
    this.comment ??= entry.comment;
    if (this.comment.parent === undefined) this.comment = { ...this.comment, parent: entry.comment.parent };
    this.rows++;
  }

  async finish(): Promise<readonly SliceItem[]> {
    // The answered comment is not in the input.
    if (this.comment === undefined) return [];
    const comment: CountedComment = { ...this.comment, answers: this.answers.size };
    if (isYearless(comment.date)) {
      await this.posts.add(comment.postMid, { waiting: comment, origin: this.origin!, rows: this.rows });
      return [];
    }
    const at = commentTime(comment.date, undefined);
    const raw = rawComment(comment, at, this.conversion);
    if (comment.text !== "") {
      await this.posts.add(comment.postMid, { sample: { text: comment.text, rank: comment.answers, at } });
    }
    return [{ kind: "raw", raw }];
  }
}

/** Folds a post, its sample comments and the comments that need its year. The post, if present, comes first. */
class PostFold implements GroupFold<PostEntry> {
  origin: Origin | undefined;
  rows = 0;
  private post: MicroblogPost | undefined;
  private readonly sample = new SampleComments();
  private readonly waiting: SliceItem[] = [];
  private readonly conversion: Conversion;

  constructor(conversion: Conversion) {
    this.conversion = conversion;
  }

  add(entry: PostEntry): void {
    if ("sample" in entry) {
      this.sample.add(entry.sample);
      return;
    }
    this.origin ??= entry.origin;
    if ("post" in entry) {
      this.post ??= entry.post;
      this.rows++;
      return;
    }
    if (this.post !== undefined) this.date(entry.waiting, this.post);
    this.rows += entry.rows;
  }

  private date(comment: CountedComment, post: MicroblogPost): void {
    const at = commentTime(comment.date, post.createdAt);
    this.waiting.push({ kind: "raw", raw: rawComment(comment, at, this.conversion) });
    this.sample.add({ text: comment.text, rank: comment.answers, at });
  }

  finish(): readonly SliceItem[] {
    if (this.post !== undefined) {
      return [...postItems(this.post, this.sample.texts(), this.conversion), ...this.waiting];
    }
    if (this.rows > 0) throw new FieldError("date", "has no year, and its post is not in the input");
    return [];
  }
}

/**
 * Microblog posts (`posts*.jsonl`) and their reposts and comments (`comments*.jsonl`), a tree by `parent`. Posts become records
 * and raw posts, comments raw comments. `reply_count` is the number of direct answers in the input; an empty text is a repost
 * without words. A comment's date without a year is its first occurrence not before the post.
 */
export const MICROBLOG_TREE: Adapter = {
  name: "microblog-tree",
  info: { title: "Microblog posts and comment trees", licence: "unknown", platforms: [] },
  sources: [
    { name: "posts", files: ["posts*.jsonl"], read: { as: "jsonl" } },
    { name: "comments", files: ["comments*.jsonl"], read: { as: "jsonl" } },
  ],
  async *convert(rows, context) {
    const platforms = platformsBySlug([]);
    const run = startRun(context, platforms, false);
    const conversion: Conversion = { run, platform: run.platform ?? platforms.get("microblog")! };
    const posts = new ExternalSort<PostEntry>(context);
    const comments = new ExternalSort<CommentEntry>(context);
    try {
      yield* convertRows(rows, async ({ source, file, line, element, value }) => {
        const origin = { file, line, element };
        if (source === "posts") {
          const post = readPost(value);
          await posts.add(post.mid, { post, origin });
          return [];
        }
        const comment = readComment(value);
        const { mid, postMid, parent } = comment;
        await comments.add(`${postMid}/${mid}`, { comment, origin });
        if (parent !== undefined) await comments.add(`${postMid}/${parent}`, { answer: mid });
        return [];
      });
      yield* foldGroups(comments, () => new CommentFold(conversion, posts));
      yield* foldGroups(posts, () => new PostFold(conversion));
    } finally {
      await comments.close();
      await posts.close();
    }
  },
};

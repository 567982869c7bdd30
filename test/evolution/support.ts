import { createHash } from "node:crypto";
import type { StoredRecord } from "../../src/contract/service/unified-record.js";
import type { RawItem, SliceItem } from "../../src/contract/slice/slice-item.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, instant, withHash } from "../lake/items.js";

const vectorOf = (text: string): Float32Array => {
  const bytes = createHash("sha256").update(text).digest();
  const values = Float32Array.from({ length: 16 }, (_, i) => bytes[i]! - 127.5);
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
};

/** An embedder that needs no fit: for tests that build many lakes. */
export const EMBEDDER: Embedder = {
  id: "test-digest",
  dims: 16,
  embedDocuments: async (texts) => texts.map(vectorOf),
  embedQuery: async (text) => vectorOf(text),
};

/** Options of installs that use {@link EMBEDDER} alone. */
export const QUICK = { embedder: EMBEDDER, localSet: false, threads: 1 } as const;

/** The same for compacting, which makes no other set of vectors than there is. */
export const COMPACT = { embedder: EMBEDDER, threads: 1 } as const;

/** Writes items as slices; returns their folders. */
export async function write(out: string, items: readonly SliceItem[]): Promise<string[]> {
  return (await writeSlices(batches(items), { out, info: INFO })).map(({ dir }) => dir);
}

export const VIDEO = "short-video";
export const videoId = (n: number) => String(700_000_000_000_000 + n);
export const recordId = (n: number) => `soc_shv_${videoId(n)}`;
export const commentText = (n: number, k: number) => `comment ${n}-${k} zebra${n}x${k}`;
export const commentId = (n: number, k: number) => `${videoId(n)}c${k}`;
export const COMMENTS = 3;

/**
 * Video `n` by author `n mod 5`: its record, which quotes its comments, the raw video, and its comments by authors
 * `(n + k) mod 5`, of which the last answers the one before it. `day` is when it was captured.
 */
export function videoItems(n: number, day = n % 20, edition = 0): SliceItem[] {
  const ts = instant(day);
  const id = videoId(n);
  const author = { uid_hash: `hash${n % 5}` };
  const record: StoredRecord = withHash(
    {
      id: recordId(n),
      src: "social",
      platform: VIDEO,
      lang: "en",
      text: `video ${n} giraffe${n} edition ${edition}`,
      author,
      metrics: { likes: n },
      comment_thread: Array.from({ length: COMMENTS }, (_, k) => commentText(n, k)),
    },
    ts,
    "test",
  );
  const raw = (item: Omit<RawItem, "platform" | "lang" | "captured_at">): SliceItem => ({
    kind: "raw",
    raw: { platform: VIDEO, lang: "en", captured_at: ts, ...item },
  });
  return [
    { kind: "record", record },
    raw({
      resource: "video",
      id,
      author: `uid${n % 5}`,
      score: n,
      data: {
        id: record.id,
        src: "social",
        platform: VIDEO,
        lang: "en",
        text: record.text!,
        author: { ...author, uid: `uid${n % 5}` },
        metrics: { likes: n },
        extra: { source_id: id },
        comment_thread: record.comment_thread!,
        prov: { ...record.prov, source: "test" },
      },
    }),
    ...Array.from({ length: COMMENTS }, (_, k) =>
      raw({
        resource: "comment",
        id: commentId(n, k),
        parent: id,
        ...(k === COMMENTS - 1 ? { reply_to: commentId(n, k - 1) } : {}),
        author: `uid${(n + k) % 5}`,
        score: k,
        data: {
          cid: commentId(n, k),
          text: commentText(n, k),
          likes: k,
          author: { uid_hash: `hash${(n + k) % 5}`, uid: `uid${(n + k) % 5}` },
        },
      }),
    ),
  ];
}

export function videos(from: number, to: number, day?: number, edition = 0): SliceItem[] {
  const items: SliceItem[] = [];
  for (let n = from; n < to; n++) items.push(...videoItems(n, day ?? n % 20, edition));
  return items;
}

import { seeded } from "./random.js";

/** Documents for one video, and comments on each video. */
const DOCUMENTS_A_VIDEO = 500;
const THREAD = 50;
const FIRST_VIDEO = 7_000_000_000_000_000_000n;

/** Comments of an answered page. */
export const PAGE = 20;

/** Id of one of the videos that a benchmark of so many documents has, by a number that may be larger than their count. */
export function videoId(size, n) {
  return String(FIRST_VIDEO + BigInt(n % Math.max(1, Math.floor(size / DOCUMENTS_A_VIDEO))));
}

/**
 * A tenth as many comments as documents, fifty on each video.
 * @param {number} size documents of the benchmark
 * @returns {Generator<{ cid: string, video: string, text: string, likes: number, day: string, author: string }>}
 */
export function* comments(size) {
  const random = seeded(4);
  const videos = Math.max(1, Math.floor(size / DOCUMENTS_A_VIDEO));
  for (let n = 0; n < videos * THREAD; n += 1) {
    yield {
      cid: String(9_000_000_000_000_000 + n),
      video: videoId(size, n),
      text: `comment ${n} of ${Math.floor(random() * 1e6)}`,
      likes: Math.floor(random() * 10_000),
      day: `2026-11-${String(1 + Math.floor(random() * 20)).padStart(2, "0")}`,
      author: `user-${Math.floor(random() * 1000)}`,
    };
  }
}

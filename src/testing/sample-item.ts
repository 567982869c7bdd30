import { createHash } from "node:crypto";
import type { Platform } from "../contract/platforms.js";
import { RawItem } from "../contract/slice-item.js";
import type { Random } from "./random.js";
import { NICKNAMES } from "./sample-text.js";

/** The newest capture of the sample: its as-of. */
export const SAMPLE_AS_OF = "2026-06-30T12:00:00+00:00";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Creators of each platform: `creator-1` … */
export const CREATOR_COUNT = 3;

/** What the makers of sample items work with. */
export interface SampleContext {
  readonly platform: Platform;
  readonly random: Random;
}

/** A raw item as its maker states it; captured an hour before as-of where it does not say. */
export type SampleRaw = Omit<RawItem, "platform" | "captured_at"> & Partial<Pick<RawItem, "captured_at">>;

/** A checked raw item of the platform. */
export function rawItem({ platform }: SampleContext, item: SampleRaw): RawItem {
  return RawItem.parse({ captured_at: before(HOUR_MS), ...item, platform: platform.slug });
}

/** ISO 8601 with an offset, so many milliseconds before as-of. */
export function before(ms: number): string {
  return new Date(Date.parse(SAMPLE_AS_OF) - ms).toISOString().replace("Z", "+00:00");
}

/** Id of the n-th creator, from 1; further numbers begin anew. */
export function creatorId(n: number): string {
  return `creator-${((n - 1) % CREATOR_COUNT) + 1}`;
}

/** The author of a raw record (service.md section 2.4). */
export function rawAuthor(creator: string) {
  const nickname = NICKNAMES[Number(creator.slice("creator-".length)) - 1] ?? creator;
  const sec_uid = `sec-${creator}`;
  return { uid_hash: uidHash(creator), nickname, uid: creator, sec_uid, unique_id: nickname };
}

/** A stand-in for the salted author hash of an ingested corpus: 16 hexadecimal digits. */
export function uidHash(creator: string): string {
  return createHash("sha256").update(`sample:${creator}`).digest("hex").slice(0, 16);
}

/** Currency of a platform's prices. */
export function currencyOf(platform: Platform): string {
  return platform.slug === "sea-marketplace" ? "SGD" : "USD";
}

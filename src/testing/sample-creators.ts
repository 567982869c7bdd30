import type { RawItem } from "../contract/slice-item.js";
import {
  before,
  CREATOR_COUNT,
  creatorId,
  DAY_MS,
  rawAuthor,
  rawItem,
  type SampleContext,
} from "./sample-item.js";

const numbers = Array.from({ length: CREATOR_COUNT }, (_, i) => i + 1);

/** Profiles of a platform's creators. */
export function sampleCreators(context: SampleContext): RawItem[] {
  return numbers.map((n) => {
    const id = creatorId(n);
    const followers = context.random.int(1_000, 900_000);
    const { nickname, uid_hash } = rawAuthor(id);
    const data = { creator_id: id, nickname, uid_hash, followers, lang: "en" };
    const created_at = before(n * 100 * DAY_MS);
    return rawItem(context, { resource: "creator", id, lang: "en", created_at, score: followers, data });
  });
}

/** The first creator has worked with each of the others. */
export function sampleRelations(context: SampleContext): RawItem[] {
  return numbers.slice(1).map((n) => {
    const [from, to, weight] = [creatorId(1), creatorId(n), context.random.int(1, 9)];
    const { nickname } = rawAuthor(to);
    return rawItem(context, {
      resource: "relation",
      id: `${from}:${to}`,
      parent: from,
      author: to,
      lang: "und",
      score: weight,
      data: { from, to, kind: "collaborates", weight, nickname },
    });
  });
}

import type { Profile } from "./profile.js";

/** Lists whose texts make one text together, as it changes its form: bold, a link. `text_entities`, `title.runs`. */
const RUNS = /(?:^|[._])(?:entities|runs|fragments|rich_text|richText)\[0\]\./;
/** Names of the text of a part. */
const TEXT = /\]\.(?:text|plain_text|plainText)$/;

/** Whether a path leads to the text of the first part of a text in parts: `text_entities[0].text`. */
export function isRun(path: string): boolean {
  return RUNS.test(path) && TEXT.test(path);
}

/**
 * Fields without what says nothing of the whole: the marks of a text in parts, and the first of parts that stand where other rows have
 * plain text.
 */
export function withoutMarks(profiles: readonly Profile[]): readonly Profile[] {
  const isInParts = profiles.some(({ path }) => isRun(path));
  const mixed = profiles.filter((profile) => isInParts && profile.mixed).map(({ path }) => `${path}[0]`);
  return profiles.filter(
    ({ path }) => !(RUNS.test(path) && !TEXT.test(path)) && !mixed.some((start) => path.startsWith(start)),
  );
}

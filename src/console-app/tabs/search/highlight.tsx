import type { ComponentChild } from "preact";

/** The words of a query that are marked in texts. */
export interface MarkedWords {
  /** In lower case. Single letters are not among them. */
  readonly words: readonly string[];
  /** Finds them where a word begins with them, in Han texts anywhere; undefined without words. */
  readonly pattern: RegExp | undefined;
}

/** The words of a query that are marked. The pattern is made here, once for all texts: it takes longer to make than to use. */
export function wordsOf(query: string): MarkedWords {
  const found = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const words = [...new Set(found)].filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word));
  if (words.length === 0) return { words, pattern: undefined };
  const any = words.join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:${any})|(?:${any})(?=\\p{Script=Han})`, "giu");
  return { words, pattern };
}

/** A text with the words of the query marked. It makes elements, never markup. */
export function Highlighted({
  text,
  pattern,
}: {
  readonly text: string;
  readonly pattern: RegExp | undefined;
}) {
  if (pattern === undefined) return <>{text}</>;
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}

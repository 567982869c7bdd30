import type { ComponentChild } from "preact";

/** The words of a query that are marked in texts, in lower case. Single letters are not. */
export function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word));
}

/** A text with the words of the query marked where a word begins with them. It makes elements, never markup. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  const alternatives = words.map((word) => word.replace(/[^\p{L}\p{N}\p{M}]/gu, "")).join("|");
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}])(?:${alternatives})|(?:${alternatives})(?=\\p{Script=Han})`,
    "giu",
  );
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}

/** Joins what is said to sentences: each but the last ends with a full stop, unless it ends with a question mark or a full stop already. */
export function joinSentences(parts: readonly string[]): string {
  return parts.map((part, i) => (i === parts.length - 1 ? part : ended(part))).join(" ");
}

/** A text with a full stop, unless it ends a sentence already. */
export function ended(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

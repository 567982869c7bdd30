/** Longest value that is shown, in characters. */
const MAX_SHOWN = 80;
/** How much of a longer one stands before the first difference, in characters. */
const SHOWN_BEFORE = 20;

/**
 * Two values of a field as JSON, with an arrow between. Of one over 80 characters a part is shown, which holds the first difference: texts
 * that differ at their end are to be told apart.
 */
export function changedValues(before: unknown, after: unknown): string {
  const texts = [JSON.stringify(before), JSON.stringify(after)] as const;
  const same = commonLength(...texts);
  const from = same + SHOWN_BEFORE < MAX_SHOWN ? 0 : same - SHOWN_BEFORE;
  return texts.map((text) => cut(text, from)).join(" → ");
}

function cut(text: string, from: number): string {
  if (text.length <= MAX_SHOWN) return text;
  const start = edge(text, from);
  const isShort = text.length - start <= MAX_SHOWN;
  const shown = isShort ? text.slice(start) : `${text.slice(start, edge(text, start + MAX_SHOWN - 1))}…`;
  return start === 0 ? shown : `…${shown}`;
}

/** A place in a text, or the one before, so that no character of two code units is cut in half. */
function edge(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/** How many characters two texts have in common at their start. */
function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}

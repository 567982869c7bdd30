const SENTENCE_END = /[.!?…](?=[\s"')\]]|$)|[。！？｡]|\n/g;
/** Characters that belong to the one before them. */
const JOINED = /^(?:\p{M}|\u200d)$/u;
/** A cut at a sentence keeps at least this share of what fits; otherwise it is at a word. */
const LEAST_SHARE = 0.5;
/** Code units that a cut moves back at most, not to part what belongs together. */
const FURTHEST_BACK = 32;

/**
 * Finds where a text is cut so that at most `most` code units stay: after the last sentence, else after the last word, else between two
 * characters. At least one code unit stays; both parts are well-formed where the text is.
 */
export function cutPlace(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const head = text.slice(0, Math.max(1, most));
  const least = head.length * LEAST_SHARE;
  let sentence = 0;
  for (const match of head.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (end === head.length && !/\s/.test(text[end] ?? " ") && /[.!?…]/.test(match[0])) continue;
    sentence = end;
  }
  if (sentence >= least) return betweenCharacters(text, sentence);
  const word = head.search(/\s\S*$/) + 1;
  return betweenCharacters(text, word >= least ? word : head.length);
}

function betweenCharacters(text: string, place: number): number {
  for (let at = place; at > 0 && place - at < FURTHEST_BACK; at--) {
    const unit = text.charCodeAt(at);
    const inPair = unit >= 0xdc00 && unit < 0xe000;
    const before = text.charCodeAt(at - 1) === 0x200d;
    if (!inPair && !before && !JOINED.test(text[at] ?? "")) return at;
  }
  const unit = text.charCodeAt(place);
  const inPair = unit >= 0xdc00 && unit < 0xe000 && place < text.length;
  return inPair ? (place > 1 ? place - 1 : place + 1) : place;
}

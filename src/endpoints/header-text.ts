/** Most characters of a value. Clients refuse an answer whose headers have 16 KiB together. */
const MOST = 2000;
/** Stands for the rest of a text. */
const REST = "...";

/**
 * Encodes text as a header value: printable ASCII, the rest percent-encoded (RFC 9110 section 5.5). Of a text that makes more than 2,000
 * characters the beginning, and three dots.
 */
export function headerText(text: string): string {
  // Each unit of the text is a character of the value at least.
  const begin = text.length > MOST ? text.slice(0, MOST) : text;
  const value = encoded(begin);
  if (begin === text && value.length <= MOST) return value;
  let cut = "";
  for (const character of begin) {
    const next = encoded(character);
    if (cut.length + next.length + REST.length > MOST) break;
    cut += next;
  }
  return cut + REST;
}

function encoded(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
}

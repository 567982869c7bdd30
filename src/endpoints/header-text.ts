/** Encodes text as a header value: printable ASCII, the rest percent-encoded (RFC 9110 section 5.5). */
export function headerText(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return wellFormed.replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
}

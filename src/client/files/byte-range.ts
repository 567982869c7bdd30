/** Range of bytes, both ends inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a `Range` header (RFC 9110 section 14) for a body of `bytes` bytes. Returns one range, `unsatisfiable`, or
 * undefined for the whole body: no header, another unit, several ranges (a server may ignore those), or invalid syntax.
 */
export function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(?:([0-9]{1,15})-([0-9]{1,15})?|-([0-9]{1,15}))$/i.exec(header?.trim() ?? "");
  if (match === null) return undefined;
  const [, from, to, tail] = match;
  if (tail !== undefined) {
    if (Number(tail) === 0 || bytes === 0) return "unsatisfiable";
    return { first: Math.max(0, bytes - Number(tail)), last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === undefined ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== undefined && Number(to) < first) return undefined;
  return first < bytes ? { first, last } : "unsatisfiable";
}

/** Returns true if a list of ETags (`If-Match`, `If-None-Match`) contains one; `weak` ignores `W/` (RFC 9110 section 8.8.3.2). */
export function etagListed(header: string, etag: string, weak: boolean): boolean {
  const items = header.split(",").map((item) => item.trim());
  return items.some((item) => item === "*" || item === etag || (weak && item === `W/${etag}`));
}

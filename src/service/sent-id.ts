import { createHash } from "node:crypto";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a value has the shape of a UUID. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** Whether a request names its id, and leaves it to the service what becomes of it. */
export function isSent<R extends { readonly requestId?: string; readonly sentId?: string | undefined }>(
  request: R,
): request is R & { readonly sentId: string } {
  return request.requestId === undefined && request.sentId !== undefined && request.sentId !== "";
}

/**
 * The id of a request whose caller sent one: a UUID in lower case, since letter case tells no UUIDs apart (RFC 9562); of any other text,
 * whose case may count, a digest of the same shape, always the same.
 */
export function requestIdOf(sentId: string): string {
  if (isUuid(sentId)) return sentId.toLowerCase();
  const bytes = createHash("sha256").update(sentId).digest();
  // Version 8 of RFC 9562: a digest of one's own.
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Digest of a call's checked parameters. It tells a repetition from another call with the same id, which is charged for itself: else one
 * id would pay for any number of answers.
 */
export function paramsDigest(params: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(params).toSorted();
  const text = JSON.stringify(names.map((name) => [name, params[name]]));
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

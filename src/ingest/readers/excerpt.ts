/** Bytes shown before and after a fault. */
const BEFORE = 24;
const AFTER = 16;

/**
 * Shows the bytes around a fault for a message: `…"a":1} ▸{◂ "b":2…`. The byte at fault stands between the marks. Control
 * characters and incomplete UTF-8 become `·`.
 * @param bytes the text, or the part of it that is at hand
 * @param at offset of the fault in `bytes`
 */
export function excerpt(bytes: Buffer, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const to = Math.min(bytes.length, at + 1 + AFTER);
  const show = (start: number, end: number) =>
    bytes.toString("utf8", start, end).replace(/[\p{Cc}\p{Cf}\ufffd]/gu, "·");
  const before = `${from > 0 ? "…" : ""}${show(from, at)}`;
  const after = `${show(at + 1, to)}${to < bytes.length ? "…" : ""}`;
  return `${before}▸${show(at, at + 1)}◂${after}`;
}

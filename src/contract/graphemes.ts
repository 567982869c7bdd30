const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Code units that the segmenter gets at once: each of its steps takes time with the length of its text. */
const WINDOW = 64;

/**
 * Splits a text into graphemes, as `Intl.Segmenter` does on the whole text, in time linear in its length.
 * Rules: Unicode UAX #29, section 3.1.1.
 */
export function* graphemesOf(text: string): Generator<string, void, void> {
  let start = 0;
  while (start < text.length) {
    for (let end = endOfPlain(text, start); end > start; end = endOfPlain(text, start)) {
      yield text.slice(start, end);
      start = end;
    }
    if (start === text.length) return;
    for (const grapheme of fromWindow(text, start)) {
      yield grapheme;
      start += grapheme.length;
    }
  }
}

/** The end of a letter and its marks at `start`, where that needs no segmenter; else `start`. */
function endOfPlain(text: string, start: number): number {
  if (!isPlain(text.charCodeAt(start))) return start;
  let end = start + 1;
  while (isMark(text.charCodeAt(end))) end++;
  return end === text.length || isPlain(text.charCodeAt(end)) ? end : start;
}

/** The graphemes that are sure from the text after `start`, a boundary: at least one. */
function fromWindow(text: string, start: number): string[] {
  for (let size = WINDOW; ; size *= 2) {
    const end = endOfWindow(text, start + size);
    const found = firstGraphemes(text.slice(start, end), size === WINDOW ? WINDOW : 2);
    if (end === text.length && size === WINDOW) return found;
    // The last one may go on after the window; in a long window each step is slow, so only the first is taken.
    if (found.length > 1) return size === WINDOW ? found.slice(0, -1) : found.slice(0, 1);
    if (end === text.length) return found;
  }
}

function firstGraphemes(text: string, most: number): string[] {
  const found: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    found.push(segment);
    if (found.length === most) break;
  }
  return found;
}

/** The end of a window, not within a surrogate pair. */
function endOfWindow(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end;
}

/** Whether there is always a boundary between two code units of this kind, and between a mark and one of this kind. */
function isPlain(unit: number): boolean {
  if (unit < 0x7f) return unit >= 0x20;
  if (unit < 0x300) return unit >= 0xa0 && unit !== 0xad;
  return (
    (unit >= 0x370 && unit < 0x483) ||
    (unit >= 0x5d0 && unit < 0x5eb) ||
    (unit >= 0x620 && unit < 0x64b) ||
    (unit >= 0xe01 && unit < 0xe31) ||
    unit === 0xe32 ||
    (unit >= 0xe3f && unit < 0xe47) ||
    (unit >= 0xe4f && unit < 0xe5c) ||
    (unit >= 0x3041 && unit < 0x3097) ||
    (unit >= 0x30a0 && unit < 0x3100) ||
    (unit >= 0x3400 && unit < 0xa000) ||
    (unit >= 0xac00 && unit < 0xd7a4)
  );
}

/** Whether there is never a boundary before a code unit: marks of Latin, Hebrew, Arabic and Thai letters (Extend, SpacingMark). */
function isMark(unit: number): boolean {
  if (unit < 0x300) return false;
  return (
    unit < 0x370 ||
    (unit >= 0x591 && unit < 0x5be) ||
    unit === 0x5bf ||
    unit === 0x5c1 ||
    unit === 0x5c2 ||
    (unit >= 0x64b && unit < 0x660) ||
    unit === 0xe31 ||
    (unit >= 0xe33 && unit < 0xe3b) ||
    (unit >= 0xe47 && unit < 0xe4f)
  );
}

import { normalizeText } from "./fold.js";
import { type Script, scriptOf } from "./scripts.js";

/**
 * Receives the pieces of a text, in order. Positions count from 0, one per word, character or cluster. Most
 * pieces are ranges of a longer text, from `start` to before `end`.
 */
export interface PieceSink {
  /** A word of a spaced script or a number, normalised but with its accents. */
  word(text: string, start: number, end: number, script: Script, position: number): void;
  /** One character of a script without spaces. */
  character(text: string, start: number, end: number, position: number): void;
  /** Two neighbouring characters, syllables or clusters of a script without spaces, or a lone cluster. */
  pair(text: string, start: number, end: number, position: number): void;
  /**
   * A syllable or cluster inside a longer run, where it may be a word of its own: the first syllable of Korean, which particles follow,
   * every one of scripts that set no spaces at all.
   */
  unit(text: string, start: number, end: number, position: number): void;
  /** A word of Korean, before its syllables, which stand at positions from `position` on. */
  hangul(syllables: readonly string[], position: number): void;
  /**
   * A compound of the words around `position`: `sm-g991b` as `smg991b`, `#tag`, `@handle`, `example.com`,
   * `1299.00`, `at&t`.
   */
  compound(term: string, position: number): void;
  /** A run of letters or digits inside the word at `position`: `iphone` and `15` of `iphone15`. */
  part(part: string, position: number): void;
  /** An emoji, without skin tone and presentation selectors. */
  emoji(emoji: string, position: number): void;
}

const CHARS = "\\p{L}\\p{N}\\p{M}\\u200c";
/**
 * A number with commas; sign, words with what links them, tail; an emoji. Each use sets where it begins. A copy, which `matchAll` makes
 * too, would be compiled again after some garbage collections: that takes 10 ms.
 */
const PIECE = new RegExp(
  [
    "(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?(?![\\p{L}\\p{N}]))",
    `([#@])?([${CHARS}]+(?:[-_.@'’+&][${CHARS}]+)*)((?:\\+\\+|#)(?![${CHARS}]))?`,
    "(\\p{Extended_Pictographic}(?:[\\u{1f3fb}-\\u{1f3ff}\\ufe0f]|\\u200d\\p{Extended_Pictographic})*|\\p{Regional_Indicator}{2})",
  ].join("|"),
  "gu",
);
/** A number with commas that a letter follows, as a unit does. */
const NUMBER_WITH_UNIT = /(?<![\p{N}.,])\d{1,3}(?:,\d{3})+(?=(?:\.\d+)?\p{L})/gu;
const CAMEL_HASHTAG = /#(?=[\p{L}\p{N}_]*\p{Ll}\p{Lu})[\p{L}\p{N}_]+/gu;
const CAMEL_BREAK = /(?<=\p{Ll})(?=\p{Lu})/gu;
const LINKS = /[-_.@'’+&]/;
const LINKS_TO_DROP = /[-_'’+]/g;
const SKIN_AND_PRESENTATION = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu;
const LETTERS_AND_DIGITS = /\p{N}+|[\p{L}\p{M}]{2,}/gu;
const MIXED = /\p{N}[\p{L}\p{M}]|[\p{L}\p{M}]\p{N}/u;
const WEB_NOISE = new Set(["http", "https", "www"]);
const THAI_CLUSTER =
  /[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*[\u0e30\u0e32\u0e33\u0e45]?|./gu;
const MARKED_CLUSTER = /.\p{M}*/gu;
const ASCII = /^\p{ASCII}*$/u;

const MAX_COMPOUND_LENGTH = 40;
const MAX_COMPOUND_LINKS = 6;
/** Longer runs are skipped as encoded data. */
const MAX_WORD_LENGTH = 100;

/**
 * Splits a text into pieces: words of spaced scripts; characters and pairs of the others; compounds.
 * @returns the first position after the text
 */
export function scan(text: string, start: number, sink: PieceSink): number {
  let position = start;
  const spread = text.includes("#") ? text.replace(CAMEL_HASHTAG, spreadHashtag) : text;
  const normal = withoutGroups(normalizeText(spread));
  for (let at = 0; at < normal.length; ) {
    const kind = kindAt(normal, at);
    if (kind === KIND.separator || kind === KIND.link) {
      at += 1;
      continue;
    }
    const end = plainWordEnd(normal, at, kind);
    if (end > at) {
      sink.word(normal, at, end, SCRIPTS[kind]!, position);
      if (kind === KIND.latin && end - at > 2 && hasDigit(normal, at, end))
        scanParts(normal.slice(at, end), position, sink);
      position += 1;
      at = end;
      continue;
    }
    PIECE.lastIndex = at;
    const match = PIECE.exec(normal);
    if (match === null) break;
    at = PIECE.lastIndex;
    const [, number, sign = "", chain, tail = "", emoji] = match;
    if (emoji !== undefined) {
      sink.emoji(emoji.replace(SKIN_AND_PRESENTATION, ""), position++);
    } else if (number !== undefined) {
      const plain = number.replaceAll(",", "");
      sink.word(plain, 0, plain.length, "other", position);
      if (plain.includes(".")) sink.part(plain.slice(0, plain.indexOf(".")), position);
      position += 1;
    } else {
      const end = scanChain(chain!, position, sink);
      if (sign + tail !== "" && chain!.length <= MAX_COMPOUND_LENGTH)
        sink.compound(sign + chain + tail, position);
      position = end;
    }
  }
  return position;
}

/** Reads `129,800円` and `20,000mAh` as `129800円` and `20000mAh`. */
function withoutGroups(text: string): string {
  if (!text.includes(",")) return text;
  return text.replace(NUMBER_WITH_UNIT, (number) => number.replaceAll(",", ""));
}

/**
 * Kinds of UTF-16 units: no part of any piece; separators; other joining characters; units that only the
 * pattern can classify; letters of a spaced script, and digits.
 */
const KIND = {
  unknown: 0,
  separator: 1,
  link: 2,
  sign: 3,
  other: 4,
  latin: 5,
  cyrillic: 6,
  greek: 7,
  arabic: 8,
} as const;
/** Scripts by kind. */
const SCRIPTS: readonly (Script | undefined)[] = Object.entries(KIND).map(([kind, number]) =>
  number < KIND.latin ? undefined : (kind as Script),
);
const DIGIT_NINE = 0x39;
/** Cache of kinds by unit. */
const KINDS = new Uint8Array(0x1_0000);
const PIECE_UNIT = new RegExp(`[${CHARS}\\p{Extended_Pictographic}\\p{Cs}]`, "u");

/** Kind of the unit at an offset; a separator after the end. */
function kindAt(text: string, at: number): number {
  if (at >= text.length) return KIND.separator;
  const code = text.charCodeAt(at);
  return KINDS[code]! || kindOf(code);
}

function kindOf(code: number): number {
  const kind = findKind(code);
  KINDS[code] = kind;
  return kind;
}

function findKind(code: number): number {
  const unit = String.fromCharCode(code);
  if (/[@#+]/.test(unit)) return KIND.sign;
  if (/[-_.'’,&]/.test(unit)) return KIND.link;
  if (!PIECE_UNIT.test(unit)) return KIND.separator;
  if (/[0-9]/.test(unit)) return KIND.latin;
  if (!/\p{L}/u.test(unit)) return KIND.other;
  const kind = SCRIPTS.indexOf(scriptOf(code));
  return kind < 0 ? KIND.other : kind;
}

/**
 * The end of a plain word: letters of one spaced script without joining characters. Most words are plain and
 * need no pattern. Returns `start` for any other piece.
 */
function plainWordEnd(text: string, start: number, script: number): number {
  if (script < KIND.latin) return start;
  let end = start;
  let kind = script;
  while (kind === script) kind = kindAt(text, ++end);
  const alone = kind === KIND.separator || (kind === KIND.link && kindAt(text, end + 1) === KIND.separator);
  return alone && end - start <= MAX_WORD_LENGTH ? end : start;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if (text.charCodeAt(i) <= DIGIT_NINE) return true;
  return false;
}

/** Adds the words of a hashtag: `#BlackFriday` is also read as `Black Friday`. */
function spreadHashtag(tag: string): string {
  return `${tag} ${tag.slice(1).replace(CAMEL_BREAK, " ").replaceAll("_", " ")} `;
}

function scanChain(chain: string, start: number, sink: PieceSink): number {
  let position = start;
  if (!LINKS.test(chain)) {
    position = scanRuns(chain, position, sink);
  } else {
    const links = chain.split(LINKS);
    for (const [i, link] of links.entries()) {
      if ((i > 0 && link === "s") || (links.length > 1 && WEB_NOISE.has(link))) continue;
      position = scanRuns(link, position, sink);
    }
    if (links.length <= MAX_COMPOUND_LINKS && chain.length <= MAX_COMPOUND_LENGTH) {
      const whole = chain.replace(/^www\./, "").replace(LINKS_TO_DROP, "");
      if (!chain.endsWith("'s") && !chain.endsWith("’s")) sink.compound(whole, start);
    }
  }
  return position;
}

/** A run of letters, digits and marks: one word, or several where scripts without spaces meet others. */
function scanRuns(run: string, start: number, sink: PieceSink): number {
  if (run.length > MAX_WORD_LENGTH && ASCII.test(run)) return start;
  if (ASCII.test(run)) return scanWord(run, "latin", start, sink);
  let position = start;
  let from = 0;
  let current: Script | undefined;
  const flush = (to: number) => {
    if (current !== undefined) position = scanRun(run.slice(from, to), current, position, sink);
    from = to;
  };
  for (let i = 0; i < run.length; ) {
    const code = run.codePointAt(i)!;
    const width = code > 0xffff ? 2 : 1;
    const script = isMark(code) ? (current ?? "other") : scriptOf(code);
    if (current === undefined) current = script;
    else if (script !== current && (isUnspaced(script) || isUnspaced(current))) {
      flush(i);
      current = script;
    } else if (current === "other") current = script;
    i += width;
  }
  flush(run.length);
  return position;
}

function scanRun(run: string, script: Script, start: number, sink: PieceSink): number {
  switch (script) {
    case "han":
      return scanPairs([...run], run, start, sink, "characters");
    case "hangul": {
      const syllables = [...run];
      sink.hangul(syllables, start);
      return scanPairs(syllables, run, start, sink, "first");
    }
    case "thai":
      return scanPairs(run.match(THAI_CLUSTER) ?? [], run, start, sink, "all");
    case "cluster":
      return scanPairs(run.match(MARKED_CLUSTER) ?? [], run, start, sink, "all");
    default:
      return scanWord(run, script, start, sink);
  }
}

/** `units`: what the run is made of. `singles`: as what they count one by one, beside pairs. */
function scanPairs(
  units: readonly string[],
  run: string,
  start: number,
  sink: PieceSink,
  singles: "characters" | "first" | "all",
): number {
  let at = 0;
  for (let i = 0; i < units.length; i += 1) {
    const end = at + units[i]!.length;
    if (singles === "characters") sink.character(run, at, end, start + i);
    else if (units.length > 1 && (singles === "all" || i === 0)) sink.unit(run, at, end, start + i);
    if (i + 1 < units.length) sink.pair(run, at, end + units[i + 1]!.length, start + i);
    at = end;
  }
  if (singles !== "characters" && units.length === 1) sink.pair(run, 0, at, start);
  return start + units.length;
}

function scanWord(word: string, script: Script, position: number, sink: PieceSink): number {
  const joined = word.includes("\u200c") ? word.replaceAll("\u200c", "") : word;
  if (joined === "") return position;
  sink.word(joined, 0, joined.length, script, position);
  if (joined.length > 2) scanParts(joined, position, sink);
  return position + 1;
}

function scanParts(word: string, position: number, sink: PieceSink): void {
  if (!MIXED.test(word)) return;
  for (const part of word.match(LETTERS_AND_DIGITS) ?? []) sink.part(part, position);
}

function isUnspaced(script: Script): boolean {
  return script === "han" || script === "hangul" || script === "thai" || script === "cluster";
}

function isMark(code: number): boolean {
  return (
    (code >= 0x300 && code <= 0x36f) ||
    code === 0x30fc ||
    code === 0x200c ||
    (code >= 0xfe00 && code <= 0xfe0f)
  );
}

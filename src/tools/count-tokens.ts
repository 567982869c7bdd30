import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";

/** Tokens of one code unit, or of a run of them, by kind. */
const COST = {
  /** A word is at least one token, and one for every so many Latin letters. */
  lettersPerToken: 3.7,
  /** So is a number for its digits. */
  digitsPerToken: 2.5,
  /** A sign that stands alone, and signs in a run, such as those between the fields of JSON. */
  sign: 0.85,
  signsPerToken: 2.5,
  /** Letters of Greek, Cyrillic, Hebrew and Arabic. */
  otherLetter: 0.45,
  /** A Chinese character, a syllable of Japanese or Korean. */
  ideograph: 1,
  /** A Latin letter with a mark, which often ends a token. */
  markedLetter: 0.8,
  /** Half of a character beyond the basic plane, such as an emoji. */
  surrogate: 1.5,
  /** A letter of any other script. */
  rest: 0.8,
} as const;

type Kind = "letter" | "digit" | "sign" | "space" | "newline" | "other";

/**
 * Estimates the tokens of a text for a language model, without a tokenizer: a word has one for every 3.7 Latin letters, a number one for
 * every 2.5 digits, both at least one; signs have .85, or one for every 2.5 in a run; a Chinese, Japanese or Korean character has
 * one, a letter of Greek, Cyrillic or Arabic .45, of another script .8, half an emoji 1.5. A single space is free. For answers of this
 * library that is a little above what the tokenizer of current models counts (o200k).
 * @throws UsageError `invalid_argument`
 */
export function countTokens(text: string): number {
  if (typeof text !== "string") checkArgument(z.string(), text, "text", "countTokens");
  const counter = new TokenCounter();
  counter.add(text);
  return counter.tokens;
}

/** Counts the tokens of a text that comes in pieces, as {@link countTokens} counts those of the whole. */
export class TokenCounter {
  private ended = 0;
  private run: Kind = "newline";
  private length = 0;

  /** Tokens of the text so far; more text never makes them fewer. */
  get tokens(): number {
    return Math.ceil(this.ended + costOfRun(this.run, this.length));
  }

  /** Takes the next piece. */
  add(piece: string): void {
    let { ended, run, length } = this;
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      const kind = kindOf(unit);
      if (kind === "other") {
        ended += costOfRun(run, length);
        ended += costOf(unit);
        length = 0;
        continue;
      }
      if (kind !== run) {
        ended += costOfRun(run, length);
        run = kind;
        length = 0;
      }
      length++;
    }
    this.ended = ended;
    this.run = run;
    this.length = length;
  }
}

function kindOf(unit: number): Kind {
  if (unit > 0x7e) return "other";
  const folded = unit | 0x20;
  if (folded >= 0x61 && folded <= 0x7a) return "letter";
  if (unit >= 0x30 && unit <= 0x39) return "digit";
  if (unit === 0x20) return "space";
  return unit < 0x20 ? "newline" : "sign";
}

function costOfRun(kind: Kind, length: number): number {
  if (length === 0) return 0;
  switch (kind) {
    case "letter":
      return Math.max(1, length / COST.lettersPerToken);
    case "digit":
      return Math.max(1, length / COST.digitsPerToken);
    case "sign":
      return Math.max(COST.sign, length / COST.signsPerToken);
    case "newline":
      return length;
    default:
      return length === 1 ? 0 : 1;
  }
}

function costOf(unit: number): number {
  if (unit < 0x250) return COST.markedLetter;
  if (unit >= 0x370 && unit < 0x700) return COST.otherLetter;
  if ((unit >= 0x3000 && unit < 0xa000) || (unit >= 0xac00 && unit < 0xd7b0)) return COST.ideograph;
  return unit >= 0xd800 && unit < 0xe000 ? COST.surrogate : COST.rest;
}

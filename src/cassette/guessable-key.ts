/** Keys with fewer characters are guessable whatever they are made of. */
const SHORT = 8;
/** Words and numbers with fewer characters are guessable. */
const SHORT_WORD = 16;

/**
 * Whether a key is one that people make up, such as `test`: a short word or number, which stands in texts that have nothing to do with
 * the key. The service's own keys are random (decisions.md, "Keys and scopes").
 */
export function isGuessable(key: string): boolean {
  return key.length < SHORT || (key.length < SHORT_WORD && /^(?:\p{L}+|\p{N}+)$/u.test(key));
}

/** What stands before a key in a text that says that it is one: `Bearer test`, `api_key=test`, `{"token":"test"}`. */
const SAID_BEFORE =
  /(?:(?:api[-_ ]?keys?|bearer|basic)(?:[\\"'`]*\s*[:=]\s*|\s+)|(?:authorization|token|secret|password)[\\"'`]*\s*[:=]\s*(?:\w+\s+)?)[\\"'`]*/
    .source;
const NOT_IN_A_WORD = /(?![\p{L}\p{N}_-])/u.source;

/** A pattern that finds a key where the text says that it is one; its first group is what stands before. */
export function saidToBeKey(key: string): RegExp {
  const forms = [...new Set([key, encodeURIComponent(key)])].map(escaped);
  return new RegExp(`(${SAID_BEFORE})(?:${forms.join("|")})${NOT_IN_A_WORD}`, "giu");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

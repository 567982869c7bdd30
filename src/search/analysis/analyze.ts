const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/**
 * The terms of a text, in order: lower-case words without accents; scripts written without spaces as single
 * characters and pairs of them.
 */
export function analyze(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (!UNSPACED.test(word)) {
      terms.push(word.normalize("NFD").replace(/\p{M}+/gu, "") || word);
      continue;
    }
    for (const [run] of word.matchAll(UNSPACED_RUN)) {
      if (!UNSPACED.test(run)) {
        terms.push(run);
        continue;
      }
      const characters = [...run];
      characters.forEach((character, i) => {
        terms.push(character);
        if (i + 1 < characters.length) terms.push(character + characters[i + 1]);
      });
    }
  }
  return terms;
}

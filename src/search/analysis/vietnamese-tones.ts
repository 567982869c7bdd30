/** The tone on the second vowel where no consonant follows, as older spelling has it: `hoà`, `thuỷ`; not `quý`. */
const ON_SECOND = /(?:(?<=o)[àáảãạèéẻẽẹ]|(?<=(?<!q)u)[ỳýỷỹỵ])$/u;
const TONE = /[\u0300\u0301\u0303\u0309\u0323]/u;

/** Writes a syllable with its tone where newer spelling has it: `hòa`, `thủy`. */
export function newerTone(syllable: string): string {
  const found = ON_SECOND.exec(syllable);
  if (found === null) return syllable;
  const letters = found[0].normalize("NFD");
  const tone = TONE.exec(letters)![0];
  const first = syllable.slice(0, found.index);
  return (first + tone + letters.replace(tone, "")).normalize("NFC");
}

import { primaryLanguage } from "./stemming.js";

/** Latin letters beyond a to z that languages write, in lower case, with the accents of their orthographies. */
const LETTERS: Readonly<Record<string, string>> = {
  af: "áèéêëíîïóôöúû",
  az: "çəğıöşü",
  bs: "čćđšž",
  ca: "àçèéíïòóúü",
  cs: "áčďéěíňóřšťúůýž",
  cy: "àáâäèéêëìíîïòóôöùúûüŵŷ",
  da: "æøåéó",
  de: "äöüß",
  en: "",
  es: "áéíóúüñ",
  et: "äöüõšž",
  eu: "çñü",
  fi: "äöåšž",
  fr: "àâæçèéêëîïôœùûüÿ",
  ga: "áéíóú",
  gl: "áéíïóúüñ",
  hr: "čćđšž",
  hu: "áéíóöőúüű",
  id: "",
  ig: "ịọụṅàáèéìíòóùú",
  is: "áéíóúýþæöð",
  it: "àèéìíîòóùú",
  lt: "ąčęėįšųūž",
  lv: "āčēģīķļņšūž",
  ms: "",
  mt: "ċġħż",
  nl: "áèéêëíïóöúü",
  no: "æøåàèéêóòô",
  pl: "ąćęłńóśźż",
  pt: "àáâãçéêíóôõúü",
  ro: "ăâîșşțţ",
  sk: "áäčďéíĺľňóôŕšťúýž",
  sl: "čšž",
  sq: "çë",
  sr: "čćđšž",
  sv: "åäöé",
  sw: "",
  tl: "ñ",
  tr: "çğıöşüâîû",
  uz: "",
  vi: "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
  yo: "ẹọṣńǹàáèéìíòóùú",
};
const ALPHABETS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LETTERS).map(([language, letters]) => [language, new Set(letters)]),
);
/** Languages of other scripts. */
const OTHERS: ReadonlySet<string> = new Set(
  "am ar be bg bn bo el fa gu he hi hy ja ka kk km kn ko lo mk ml mn mr my ne pa ps ru sa si ta te th ug uk ur yi zh".split(
    " ",
  ),
);
const ASCII = /^\p{ASCII}*$/u;
const BEYOND_ASCII = /(?!\p{ASCII})[\p{L}\p{M}]/gu;

/** The distinct letters and marks of a text that are not ASCII, in lower case. */
export function lettersBeyondAscii(text: string): readonly string[] {
  if (ASCII.test(text)) return [];
  const found = text.normalize("NFC").toLowerCase().match(BEYOND_ASCII);
  return found === null ? [] : [...new Set(found)];
}

/** Whether a language (BCP-47) writes a Latin letter; undefined of a language that is not known here. */
export function writesLetter(language: string, letter: string): boolean | undefined {
  const primary = primaryLanguage(language);
  return ALPHABETS.get(primary)?.has(letter) ?? (OTHERS.has(primary) ? false : undefined);
}

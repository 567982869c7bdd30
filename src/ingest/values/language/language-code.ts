/** The bibliographic codes of ISO 639-2 that differ from the terminological ones (ISO 639-2/B); `Intl` knows only the latter. */
const BIBLIOGRAPHIC: Readonly<Record<string, string>> = {
  alb: "sq",
  arm: "hy",
  baq: "eu",
  bur: "my",
  chi: "zh",
  cze: "cs",
  dut: "nl",
  fre: "fr",
  geo: "ka",
  ger: "de",
  gre: "el",
  ice: "is",
  mac: "mk",
  mao: "mi",
  may: "ms",
  per: "fa",
  rum: "ro",
  slo: "sk",
  tib: "bo",
  wel: "cy",
};

/**
 * Tags that `Intl` replaces, by CLDR, and the registry of BCP 47 does not: Tagalog is no older name of Filipino, nor Serbo-Croatian of
 * Serbian. Language detection says `tl`, too, and a filter finds what it names.
 */
const OWN: Readonly<Record<string, string>> = { tl: "tl", tgl: "tl", sh: "sh", hbs: "sh" };

/**
 * Converts a source's language code to a canonical BCP 47 tag: ISO 639-1, -2 or -3, or a locale (`fra` → `fr`,
 * `zh_CN` → `zh-CN`).
 * @returns undefined for any other text
 */
export function toLanguageTag(code: string): string | undefined {
  const text = code.trim().replaceAll("_", "-").toLowerCase();
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(text)) return undefined;
  const [primary, ...rest] = text.split("-");
  const own = OWN[primary!];
  try {
    // A language that nothing replaces stands in, for the case of the other parts.
    if (own !== undefined) return Intl.getCanonicalLocales(["en", ...rest].join("-"))[0]!.replace("en", own);
    return Intl.getCanonicalLocales(BIBLIOGRAPHIC[text] ?? text)[0];
  } catch {
    return undefined;
  }
}

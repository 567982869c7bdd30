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
 * Converts a source's language code to a canonical BCP 47 tag: ISO 639-1, -2 or -3, or a locale (`fra` → `fr`,
 * `zh_CN` → `zh-CN`).
 * @returns undefined for any other text
 */
export function toLanguageTag(code: string): string | undefined {
  const text = code.trim().replaceAll("_", "-").toLowerCase();
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(BIBLIOGRAPHIC[text] ?? text)[0];
  } catch {
    return undefined;
  }
}

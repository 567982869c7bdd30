/**
 * Whether a language tag is in a range: the same tag, or a longer one with it as prefix (`zh` matches `zh-Hant`), ignoring case.
 * Source: RFC 4647 section 3.3.1, basic filtering.
 */
export function languageMatches(range: string, tag: string): boolean {
  const [wide, narrow] = [range.toLowerCase(), tag.toLowerCase()];
  return narrow === wide || narrow.startsWith(`${wide}-`);
}

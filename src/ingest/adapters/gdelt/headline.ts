const LEAST_WORDS = 3;

/**
 * Extracts the headline from a news URL: the words of its longest path segment, such as
 * `/2017/07/01/july-1-letters-make-park-enjoyable/` → `July 1 letters make park enjoyable`.
 * @returns undefined if no segment has three words
 */
export function headlineOf(url: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
  const best = path
    .split("/")
    .map((segment) => wordsOf(segment))
    .reduce((a, b) => (b.length > a.length ? b : a), []);
  if (best.filter((word) => /\p{L}{2}/u.test(word)).length < LEAST_WORDS) return undefined;
  const text = best.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words of a segment, without its extension and without ids: numbers of five or more digits, long mixtures of letters and digits. */
function wordsOf(segment: string): string[] {
  return segment
    .replace(/\.[a-z]{2,5}$/i, "")
    .replace(/[-_.]\d+\.\d{5,}$/, "")
    .split(/[-_+\s.,]+/)
    .filter(
      (word) => word !== "" && !/^\d{5,}$/.test(word) && !/^(?=.*\d)(?=.*[a-z])[a-z0-9]{8,}$/i.test(word),
    );
}

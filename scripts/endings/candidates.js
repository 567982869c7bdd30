/** Longest ending, and most first letters that another stands for. */
export const LONGEST = { ending: 10, front: 4 };
const MOST = { endings: 500, fronts: 80 };
/** Forms of a lemma that are compared with each other. */
const MOST_FORMS = 12;
/** Lemmas that have to have a candidate. */
const LEAST_LEMMAS = 3;
/** Letters that two forms of a lemma have to share. */
const LEAST_SHARED = 2;

/**
 * What may be an ending or a front: what differs between two forms of a lemma; at the end also with one letter before it. The most frequent ones.
 * @param {readonly { form: string, lemma: string }[]} words each form once
 */
export function candidatesOf(words) {
  /** @type {Map<string, string[]>} */
  const lemmas = new Map();
  for (const { form, lemma } of words) lemmas.set(lemma, [...(lemmas.get(lemma) ?? []), form]);
  const [endings, fronts] = [new Map(), new Map()];
  for (const all of lemmas.values()) {
    const forms = all.slice(0, MOST_FORMS);
    const pairs = forms.flatMap((first) =>
      forms.filter((second) => second !== first).map((second) => ({ first, second })),
    );
    count(endings, pairs.flatMap(endingsOf));
    count(fronts, pairs.flatMap(frontOf));
  }
  return {
    endings: mostFrequent(endings, MOST.endings),
    fronts: mostFrequent(fronts, MOST.fronts).map((pair) => ({
      front: pair.split(":")[0] ?? "",
      instead: pair.split(":")[1] ?? "",
    })),
  };
}

/** @param {{ first: string, second: string }} forms */
function endingsOf({ first, second }) {
  let shared = 0;
  while (shared < first.length && first[shared] === second[shared]) shared += 1;
  if (shared < LEAST_SHARED) return [];
  return [first.slice(shared), first.slice(shared - 1)].filter(
    ({ length }) => length > 0 && length <= LONGEST.ending,
  );
}

/** @param {{ first: string, second: string }} forms */
function frontOf({ first, second }) {
  const shortest = Math.min(first.length, second.length);
  let shared = 0;
  while (shared < shortest && first.at(-1 - shared) === second.at(-1 - shared)) shared += 1;
  const front = first.slice(0, first.length - shared);
  const instead = second.slice(0, second.length - shared);
  const isOne = shared >= LEAST_SHARED && front.length > instead.length && front.length <= LONGEST.front;
  return isOne ? [`${front}:${instead}`] : [];
}

/**
 * @param {Map<string, number>} counts
 * @param {readonly string[]} found of one lemma, which counts once
 */
function count(counts, found) {
  for (const text of new Set(found)) counts.set(text, (counts.get(text) ?? 0) + 1);
}

/**
 * @param {ReadonlyMap<string, number>} counts
 * @param {number} most
 */
function mostFrequent(counts, most) {
  return [...counts]
    .filter(([, lemmas]) => lemmas >= LEAST_LEMMAS)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, most)
    .map(([text]) => text);
}

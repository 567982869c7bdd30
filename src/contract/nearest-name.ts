/**
 * Finds the known name nearest to a wrong one ("did you mean"), or undefined if none is near. Letter case and separators are
 * ignored (`shortVideo` matches `short-video`). Up to a third of the letters may differ; a swap of two neighbours is one
 * difference. A prefix or a whole word of a known name also matches. On a tie the first known name wins.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = lettersOf(name);
  if (wanted === "") return undefined;
  const all = [...known];
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of all) {
    const letters = lettersOf(candidate);
    const allowed = Math.floor(Math.max(wanted.length, letters.length) / 3);
    if (Math.abs(wanted.length - letters.length) > allowed) continue;
    const edits = editDistance(wanted, letters);
    if (edits <= allowed && edits < least) {
      nearest = candidate;
      least = edits;
    }
  }
  return nearest ?? abbreviated(name, wanted, all);
}

/** The suffix of a message that suggests the nearest name; empty if there is none. */
export function didYouMean(meant: string | undefined): string {
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

/** Shortest prefix that matches a name: shorter ones match too many. */
const ABBREVIATION_LETTERS = 3;

function abbreviated(name: string, wanted: string, all: readonly string[]): string | undefined {
  if (wanted.length < ABBREVIATION_LETTERS) return undefined;
  return (
    all.find((candidate) => lettersOf(candidate).startsWith(wanted)) ??
    all.find((candidate) => candidate.split(/[^\p{L}\p{N}]+/u).includes(name.toLowerCase()))
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Edit distance with swaps of neighbours (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

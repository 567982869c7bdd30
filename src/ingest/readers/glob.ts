/**
 * Compiles a glob: `*` and `?` within a path segment, `**` for any number of segments, `{a,b}` for alternatives; everything
 * else is literal. The glob matches the end of a `/`-separated path, from the start of a segment: `*.jsonl` matches at any
 * depth, `reviews/*.csv` in any folder `reviews`. Wildcards match no hidden segment (`.git`, `._x.jsonl`, `__MACOSX`).
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const patterns = expandBraces(glob.replace(/^\/+/, "")).map((plain) =>
    plain.split("/").map((part) => (part === "**" ? undefined : segmentPattern(part))),
  );
  return (path) => {
    const segments = path.split("/");
    return patterns.some((pattern) => matchesEnd(pattern, segments));
  };
}

/** Compiles several globs into one test that is true if any of them matches. */
export function compileGlobs(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map(compileGlob);
  return (path) => tests.some((test) => test(path));
}

const HIDDEN = /^(?:\.|__MACOSX$)/;

/** Whether wildcards do not match a `/`-separated path: what programs put beside files, such as `__MACOSX/._a.csv`. */
export function isHidden(path: string): boolean {
  return path.split("/").some((segment) => HIDDEN.test(segment));
}

/** Matches from the end, where the pattern is anchored. `undefined` stands for `**`. */
function matchesEnd(pattern: readonly (RegExp | undefined)[], segments: readonly string[]): boolean {
  const step = (p: number, s: number): boolean => {
    if (p < 0) return segments.slice(0, s + 1).every((segment) => !HIDDEN.test(segment));
    const part = pattern[p];
    if (part === undefined) {
      for (let rest = s; rest >= -1; rest--) {
        if (step(p - 1, rest)) return true;
        if (rest >= 0 && HIDDEN.test(segments[rest]!)) return false;
      }
      return false;
    }
    return s >= 0 && part.test(segments[s]!) && step(p - 1, s - 1);
  };
  return step(pattern.length - 1, segments.length - 1);
}

function segmentPattern(part: string): RegExp {
  const source = part
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, "[^/]*")
    .replace(/\?/g, "[^/]");
  return new RegExp(/^[*?]/.test(part) ? `^(?!\\.|__MACOSX$)${source}$` : `^${source}$`, "su");
}

function expandBraces(glob: string): string[] {
  const open = glob.indexOf("{");
  if (open < 0) return [glob];
  let depth = 0;
  let from = open + 1;
  const options: string[] = [];
  for (let i = open; i < glob.length; i++) {
    const c = glob[i];
    if (c === "{") depth++;
    else if (c === "}") depth--;
    if ((c === "," && depth === 1) || (c === "}" && depth === 0)) {
      options.push(glob.slice(from, i));
      from = i + 1;
    }
    if (depth === 0) {
      const [head, tail] = [glob.slice(0, open), glob.slice(i + 1)];
      return options.flatMap((option) => expandBraces(`${head}${option}${tail}`));
    }
  }
  return [glob];
}

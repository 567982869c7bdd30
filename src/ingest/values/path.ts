import { MappingError } from "../../contract/errors.js";

/** One step of a path: a member, an element, or every element. */
type Step = { readonly member: string } | { readonly index: number } | { readonly each: true };

/** A parsed source path. */
export interface Path {
  readonly text: string;
  readonly steps: readonly Step[];
  /** Whether the path can yield several values. */
  readonly many: boolean;
}

const STEP = /^(?:\[(-?\d+)\]|\[(\])|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+))/;

/**
 * Parses a source path: member names joined by dots (`stats.playCount`; spaces are part of a name), `[0]` for an element (`[-1]`
 * for the last), `[]` for every element (`challenges[].title`), `["a.b"]` for a name with a dot or bracket; `$` is the row.
 * @throws MappingError `invalid_path`, which names `where` in the mapping
 */
export function parsePath(text: string, where: string): Path {
  const steps: Step[] = [];
  let rest = text.startsWith("$") ? text.slice(1) : text;
  let first = !text.startsWith("$");
  while (rest !== "") {
    if (!first && rest.startsWith(".")) rest = rest.slice(1);
    else if (!first && !rest.startsWith("[")) break;
    const match = STEP.exec(rest);
    if (!match) break;
    if (match[1] !== undefined) steps.push({ index: Number(match[1]) });
    else if (match[2] !== undefined) steps.push({ each: true });
    else if (match[3] !== undefined) steps.push({ member: JSON.parse(`"${match[3]}"`) as string });
    else steps.push({ member: match[4]! });
    rest = rest.slice(match[0].length);
    first = false;
  }
  if (rest !== "" || (first && text !== "$")) {
    throw new MappingError("invalid_path", `${where}: ${JSON.stringify(text)} is not a source path`, {
      value: text,
      remedy:
        'Write names joined by dots, [0] or [] for elements, ["a.b"] for names with dots or brackets, $ for the row.',
    });
  }
  return { text, steps, many: steps.some((step) => "each" in step) };
}

/** A name that a path can hold as it is. */
const PLAIN_NAME = /^[\p{L}\p{N}_@#-][\p{L}\p{N}_ @#$-]*$/u;

/** The path of a member of what a path leads to; `""` is the row. */
export function pathOfMember(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

function follow(value: unknown, steps: readonly Step[], from: number, out: unknown[]): void {
  let current = value;
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!;
    if (current === null || typeof current !== "object") return;
    if ("each" in step) {
      if (!isList(current)) return;
      for (const item of current) follow(item, steps, i + 1, out);
      return;
    }
    if ("index" in step) {
      if (!isList(current)) return;
      current = current[step.index < 0 ? current.length + step.index : step.index];
    } else {
      current = Object.hasOwn(current, step.member)
        ? (current as Readonly<Record<string, unknown>>)[step.member]
        : undefined;
    }
  }
  if (current !== undefined) out.push(current);
}

function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/**
 * Reads a path in a row: the value, or undefined if there is none; for a path with `[]`, the list of all values.
 */
export function readPath(row: unknown, path: Path): unknown {
  const found: unknown[] = [];
  follow(row, path.steps, 0, found);
  return path.many ? found : found[0];
}

/**
 * A row with other values at a path; what holds them is copied, the row given stays as it is. Where the path leads nowhere, nothing
 * changes.
 */
export function changeAt(row: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  return changed(row, path.steps, 0, change);
}

function changed(
  value: unknown,
  steps: readonly Step[],
  from: number,
  change: (value: unknown) => unknown,
): unknown {
  const step = steps[from];
  if (step === undefined) return value === undefined ? value : change(value);
  if (value === null || typeof value !== "object") return value;
  if ("member" in step) {
    if (!Object.hasOwn(value, step.member)) return value;
    const member = (value as Readonly<Record<string, unknown>>)[step.member];
    const copy: object = Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, step.member, {
      value: changed(member, steps, from + 1, change),
      configurable: true,
      enumerable: true,
      writable: true,
    });
    return copy;
  }
  if (!Array.isArray(value)) return value;
  if ("each" in step) return value.map((item) => changed(item, steps, from + 1, change));
  const index = step.index < 0 ? value.length + step.index : step.index;
  return value.map((item, i) => (i === index ? changed(item, steps, from + 1, change) : item));
}

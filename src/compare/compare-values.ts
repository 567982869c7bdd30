import type { Difference, Tolerances } from "./difference.js";

/** Longest text of a value in a difference. */
const SHOWN = 80;
/** Numbers in a row from which on they are a vector. */
const LEAST_VECTOR = 16;
const COSINE = 1 - 1e-6;
/** Members that name an element of a list. */
const IDS = ["id", "cid"] as const;

type Add = (kind: Difference["kind"], path: string, local: unknown, remote: unknown) => void;

/** Compares two JSON values; calls `add` with each difference. Elements with ids are compared with those of equal id. */
export function compareValues(
  local: unknown,
  remote: unknown,
  path: string,
  tolerances: Tolerances,
  add: Add,
): void {
  if (isIgnored(path, tolerances.ignore ?? [])) return;
  if (isVector(local) && isVector(remote)) {
    const same = local.length === remote.length && cosineOf(local, remote) >= (tolerances.cosine ?? COSINE);
    if (!same) add(local.length === remote.length ? "value" : "structure", path, local, remote);
  } else if (Array.isArray(local) && Array.isArray(remote)) {
    compareLists(local, remote, path, tolerances, add);
  } else if (isObject(local) && isObject(remote)) {
    for (const name of new Set([...Object.keys(local), ...Object.keys(remote)])) {
      const at = path === "" ? name : `${path}.${name}`;
      const [own, other] = [local[name], remote[name]];
      if (own === undefined || other === undefined) {
        if (own !== other && !isIgnored(at, tolerances.ignore ?? [])) add("structure", at, own, other);
      } else compareValues(own, other, at, tolerances, add);
    }
  } else if (typeOf(local) !== typeOf(remote)) add("structure", path, local, remote);
  else if (typeof local === "number" && typeof remote === "number") {
    const allowed = (tolerances.numbers ?? 0) * Math.max(Math.abs(local), Math.abs(remote));
    if (Math.abs(local - remote) > allowed) add("value", path, local, remote);
  } else if (local !== remote) add("value", path, local, remote);
}

function compareLists(
  local: readonly unknown[],
  remote: readonly unknown[],
  path: string,
  tolerances: Tolerances,
  add: Add,
): void {
  const id = IDS.find((name) =>
    [...local, ...remote].every((item) => isObject(item) && typeof item[name] === "string"),
  );
  const at = `${path}[]`;
  if (id === undefined || local.length + remote.length === 0) {
    if (local.length !== remote.length) add("value", `${path}.length`, local.length, remote.length);
    for (let i = 0; i < Math.min(local.length, remote.length); i += 1)
      compareValues(local[i], remote[i], at, tolerances, add);
    return;
  }
  const nameOf = (item: unknown) => (item as Record<string, string>)[id]!;
  const [own, others] = [local.map(nameOf), new Map(remote.map((item) => [nameOf(item), item]))];
  const known = new Set(own);
  const missing = own.filter((name) => !others.has(name));
  const added = [...others.keys()].filter((name) => !known.has(name));
  if (missing.length + added.length > 0) add("value", `${at}.${id}`, missing, added);
  const shared = own.filter((name) => others.has(name));
  const order = [...others.keys()].filter((name) => known.has(name));
  if (shared.some((name, i) => order[i] !== name)) add("order", path, shared, order);
  for (const item of local) {
    const other = others.get(nameOf(item));
    if (other !== undefined) compareValues(item, other, at, tolerances, add);
  }
}

/** The JSON of a value, shortened. */
export function shortText(value: unknown): string {
  if (isVector(value)) return `${value.length} numbers`;
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function isIgnored(path: string, ignore: readonly string[]): boolean {
  return ignore.some((pattern) =>
    pattern.endsWith(".*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

function isVector(value: unknown): value is readonly number[] {
  if (value instanceof Float32Array) return true;
  return Array.isArray(value) && value.length >= LEAST_VECTOR && value.every((x) => typeof x === "number");
}

function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    product += a[i]! * b[i]!;
    left += a[i]! * a[i]!;
    right += b[i]! * b[i]!;
  }
  return left === 0 && right === 0 ? 1 : product / Math.sqrt(left * right);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

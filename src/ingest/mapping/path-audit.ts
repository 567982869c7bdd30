import { nearestName } from "../../contract/nearest-name.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { IngestWarning } from "../ingest-warning.js";
import { pathOfMember } from "../values/path.js";
import { jsonPath } from "./form/schema.js";
import type { Place } from "./scope.js";

/** A path or a template at its place in a mapping. */
export interface Use {
  readonly text: string;
  readonly field: string;
  readonly place: Place;
}

interface Looked {
  rows: number;
  found: boolean;
  /** Paths of the rows without it. */
  readonly names: Set<string>;
}

interface Left {
  rows: number;
  readonly empty: Set<string>;
}

/** Rows without a path whose own paths are noted, and how many of these at most, and how deep. */
const NOTED_ROWS = 32;
const NOTED_NAMES = 512;
const NOTED_DEPTH = 4;
/** Names that a warning lists. */
const NEAR_NAMES = 3;
const OTHER_NAMES = 8;

/**
 * Notes which paths of a mapping lead to something in the rows of one run, and which templates came to nothing. Memory depends on
 * the mapping alone.
 */
export class PathAudit {
  private readonly looked = new Map<Use, Looked>();
  private readonly left = new Map<Use, Left>();
  private readonly cut = new Map<Use, number>();
  private readonly lost = new Map<Use, { rows: number; last: unknown }>();

  /** A path was looked for in a row; null and empty text are something. */
  note(use: Use, isThere: boolean, row: unknown): void {
    let looked = this.looked.get(use);
    if (looked === undefined) {
      looked = { rows: 0, found: false, names: new Set() };
      this.looked.set(use, looked);
    }
    if (looked.found) return;
    looked.rows++;
    if (isThere) {
      looked.found = true;
      looked.names.clear();
    } else if (looked.rows <= NOTED_ROWS) noteNames(row, "", 0, looked.names);
  }

  /** A template had no value in a row, because these paths had none. */
  leftOut(use: Use, empty: readonly string[]): void {
    let left = this.left.get(use);
    if (left === undefined) {
      left = { rows: 0, empty: new Set() };
      this.left.set(use, left);
    }
    left.rows++;
    for (const path of empty) left.empty.add(path);
  }

  /** Of several values in a row the first alone is kept. */
  cutShort(use: Use): void {
    this.cut.set(use, (this.cut.get(use) ?? 0) + 1);
  }

  /** A number of a row is NaN or infinite, and left out. */
  notFinite(use: Use, row: unknown): void {
    const lost = this.lost.get(use);
    if (lost === undefined) this.lost.set(use, { rows: 1, last: row });
    else if (lost.last !== row) Object.assign(lost, { rows: lost.rows + 1, last: row });
  }

  /** What there is to say once all rows are converted, in the order in which the paths were first looked for. */
  warnings(): readonly IngestWarning[] {
    const absent = [...this.looked].flatMap(([use, { rows, found, names }]) =>
      found ? [] : [absentWarning(use, rows, [...names])],
    );
    const left = [...this.left].map(([use, rows]) => templateWarning(use, rows));
    const cut = [...this.cut].map(([use, rows]) => cutWarning(use, rows));
    return [...absent, ...left, ...cut, ...[...this.lost].map(([use, { rows }]) => lostWarning(use, rows))];
  }
}

function absentWarning({ text, field, place }: Use, rows: number, there: readonly string[]): IngestWarning {
  const names = nearPaths(text, there);
  const others = there.slice(0, OTHER_NAMES).join(", ") + (there.length > OTHER_NAMES ? ", …" : "");
  const hint =
    names.length > 0
      ? `; did you mean ${names.join(" or ")}?`
      : there.length > 0
        ? `; there are ${others}`
        : "";
  const at = jsonPath(place);
  const message = `${field}: no row has ${text} (${at}), of ${formatCount(rows)} looked at${hint}`;
  return { kind: "path_absent", field, place: at, value: text, rows, names, message };
}

function templateWarning({ text, field, place }: Use, { rows, empty }: Left): IngestWarning {
  const names = [...empty];
  const at = jsonPath(place);
  const message = `${field}: ${counted(rows, "row")} without a value, because the template ${JSON.stringify(text)} has an empty member there: ${names.join(", ")} (${at})`;
  return { kind: "template_incomplete", field, place: at, value: text, rows, names, message };
}

function cutWarning({ text, field, place }: Use, rows: number): IngestWarning {
  const at = jsonPath(place);
  const message = `${field}: ${counted(rows, "row")} with several values at ${text}, of which the first alone is kept (${at}); join them, or say which: [0]`;
  return { kind: "list_cut", field, place: at, value: text, rows, names: [], message };
}

function lostWarning({ text, field, place }: Use, rows: number): IngestWarning {
  const at = jsonPath(place);
  const message = `${field}: ${counted(rows, "row")} with NaN or infinity at ${text}, which is left out (${at}); say what stands in (default), or that it means none (absent: ["NaN"])`;
  return { kind: "not_finite", field, place: at, value: text, rows, names: [], message };
}

/** Paths that were perhaps meant: the same name elsewhere, a path like it, a name like its last one. */
function nearPaths(text: string, there: readonly string[]): readonly string[] {
  const last = lastName(text);
  const elsewhere = there.filter((path) => lastName(path) === last);
  const alike = nearestName(text, there);
  const lastAlike = nearestName(last, there.map(lastName));
  const near = [
    ...elsewhere,
    ...(alike === undefined ? [] : [alike]),
    ...there.filter((path) => lastName(path) === lastAlike),
  ];
  return [...new Set(near)].slice(0, NEAR_NAMES);
}

function lastName(path: string): string {
  return (
    /\["((?:[^"\\]|\\.)*)"\]$/.exec(path)?.[1] ?? path.replace(/(?:\[-?\d*\])+$/, "").replace(/^.*[.\]]/s, "")
  );
}

function noteNames(value: unknown, path: string, depth: number, names: Set<string>): void {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return;
  if (Array.isArray(value)) {
    noteNames(value[0], `${path === "" ? "$" : path}[]`, depth, names);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (names.size >= NOTED_NAMES) return;
    const there = pathOfMember(path, key);
    names.add(there);
    if (depth + 1 < NOTED_DEPTH) noteNames(member, there, depth + 1, names);
  }
}

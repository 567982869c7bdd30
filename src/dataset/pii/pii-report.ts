import { findPii, maskPii, PII_KINDS, type PiiKind } from "./find-pii.js";

/** Examples kept per kind and column. */
const EXAMPLES = 3;

/** Findings of one kind in one column. */
export interface PiiFinding {
  /** Number of values with a match, and number of matches. */
  readonly values: number;
  readonly matches: number;
  /** The first few, masked. */
  readonly examples: readonly string[];
}

/** Findings in one column of text. */
export interface PiiColumn {
  readonly table: "records" | "raw";
  /** Column of `records`; `<resource>.<path in its data>` of `raw`, `[]` for every element of a list. */
  readonly column: string;
  /** Number of texts scanned. */
  readonly texts: number;
  readonly found: Readonly<Partial<Record<PiiKind, PiiFinding>>>;
}

/** Personal data in the text columns of slices. */
export interface PiiReport {
  readonly slices: number;
  readonly records: number;
  readonly raw: number;
  /** Matches of each kind in all columns. */
  readonly total: Readonly<Record<PiiKind, number>>;
  /** Columns with text, those with findings first. */
  readonly columns: readonly PiiColumn[];
}

interface Counted {
  values: number;
  matches: number;
  readonly examples: Set<string>;
}

/** Counts matches in the texts of columns, in any order. */
export class PiiCounter {
  private readonly columns = new Map<
    string,
    { texts: number; readonly made: boolean; readonly found: Map<PiiKind, Counted> }
  >();

  /**
   * Scans one text of a column.
   * @param made whether it is an id or the like: of these only e-mail addresses count, and a column without any is not reported
   */
  add(table: "records" | "raw", column: string, text: string, made = false): void {
    const key = `${table} ${column}`;
    let of = this.columns.get(key);
    if (of === undefined) {
      of = { texts: 0, made, found: new Map() };
      this.columns.set(key, of);
    }
    of.texts++;
    if (made && !text.includes("@")) return;
    const matches = findPii(text).filter(({ kind }) => !made || kind === "email");
    for (const kind of new Set(matches.map((match) => match.kind))) {
      const counted = of.found.get(kind) ?? { values: 0, matches: 0, examples: new Set() };
      of.found.set(kind, counted);
      counted.values++;
      for (const match of matches) {
        if (match.kind !== kind) continue;
        counted.matches++;
        if (counted.examples.size < EXAMPLES) counted.examples.add(maskPii(match));
      }
    }
  }

  /** The report of all texts so far. */
  report(rows: Pick<PiiReport, "slices" | "records" | "raw">): PiiReport {
    const reported = [...this.columns].filter(([, { made, found }]) => !made || found.size > 0);
    const columns = reported.map(([key, { texts, found }]): PiiColumn => {
      const [table, column] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
      const findings = PII_KINDS.flatMap((kind) => {
        const counted = found.get(kind);
        return counted === undefined
          ? []
          : [[kind, { ...counted, examples: [...counted.examples] }] as const];
      });
      return { table: table as PiiColumn["table"], column, texts, found: Object.fromEntries(findings) };
    });
    const matches = (column: PiiColumn) =>
      Object.values(column.found).reduce((sum, finding) => sum + finding.matches, 0);
    columns.sort((a, b) => matches(b) - matches(a) || (a.column < b.column ? -1 : 1));
    const total = Object.fromEntries(
      PII_KINDS.map((kind) => [
        kind,
        columns.reduce((sum, { found }) => sum + (found[kind]?.matches ?? 0), 0),
      ]),
    ) as Record<PiiKind, number>;
    return { ...rows, total, columns };
  }
}

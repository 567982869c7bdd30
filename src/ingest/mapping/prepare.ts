import type { Unused } from "../adapters/adapter.js";
import type { SourceRow } from "../readers/source-row.js";
import { FieldError } from "../values/field-error.js";
import { plainText } from "../values/plain-text.js";
import { bioSentence } from "./bio-sentence.js";
import type { PathAudit } from "./path-audit.js";
import { rowReader } from "./path-reader.js";
import type { Preparation } from "./schema.js";
import type { Place } from "./scope.js";

/** A row as rules see it, and the number of source rows it stands for. */
export interface PreparedRow extends SourceRow {
  readonly rows: number;
}

/** Result of preparing rows: a row, unused source rows, or a row that does not fit. */
export type Prepared =
  | { readonly row: PreparedRow }
  | { readonly unused: Unused }
  | { readonly at: PreparedRow; readonly error: FieldError };

/** Prepares the rows of one source, in order; `end` returns the last assembled row. */
export interface Preparer {
  row(row: SourceRow): Prepared[];
  end(): Prepared[];
}

function jsonParser(spec: Preparation, place: Place): (value: unknown, audit: PathAudit) => unknown {
  const names = spec.parse_json ?? [];
  if (names.length === 0) return (value) => value;
  const paths = names.map((name, i) => rowReader(name, [...place, "parse_json", i], "parse_json"));
  return (value, audit) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      throw new FieldError("", "is not an object", value);
    }
    const row: Record<string, unknown> = { ...value };
    for (const [i, read] of paths.entries()) {
      const text = read(row, audit);
      if (text === undefined || text === null || text === "") continue;
      if (typeof text !== "string") throw new FieldError(names[i]!, "is not JSON text");
      try {
        row[names[i]!] = JSON.parse(text);
      } catch {
        throw new FieldError(names[i]!, "is not JSON text");
      }
    }
    return row;
  };
}

function plain(parse: (value: unknown, audit: PathAudit) => unknown, audit: PathAudit): Preparer {
  return {
    row(row) {
      try {
        return [{ row: { ...row, value: parse(row.value, audit), rows: 1 } }];
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        return [{ at: { ...row, rows: 1 }, error }];
      }
    },
    end: () => [],
  };
}

function assembled(spec: NonNullable<Preparation["assemble"]>): Preparer {
  let first: SourceRow | undefined;
  let lines: string[] = [];
  const flush = (): Prepared[] => {
    if (first === undefined) return [];
    const at = { ...first, rows: lines.length };
    const value = bioSentence(lines, spec);
    first = undefined;
    lines = [];
    return typeof value === "string"
      ? [{ at, error: new FieldError("", value) }]
      : [{ row: { ...at, value } }];
  };
  return {
    row(row) {
      const line = plainText(row.value);
      const before = first !== undefined && first.file !== row.file ? flush() : [];
      if (line.trim() === "") {
        const { file, line: number } = row;
        return [
          ...before,
          ...flush(),
          { unused: { file, line: number, reason: "blank line between sentences" } },
        ];
      }
      first ??= row;
      lines.push(line);
      return before;
    },
    end: flush,
  };
}

/** Compiles the preparation of a source's rows. @throws MappingError */
export function compilePreparation(spec: Preparation, place: Place): (audit: PathAudit) => Preparer {
  const { assemble } = spec;
  const parse = jsonParser(spec, place);
  return assemble === undefined ? (audit) => plain(parse, audit) : () => assembled(assemble);
}

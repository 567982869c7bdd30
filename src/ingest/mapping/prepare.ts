import type { Unused } from "../adapters/adapter.js";
import { JsonTextError, parseJson } from "../readers/json-text.js";
import type { SourceRow } from "../readers/source-row.js";
import { FieldError } from "../values/field-error.js";
import { changeAt, parsePath } from "../values/path.js";
import { plainText } from "../values/plain-text.js";
import { bioSentence } from "./bio-sentence.js";
import { jsonPath, type Preparation } from "./form/schema.js";
import type { PathAudit } from "./path-audit.js";
import { rowReader } from "./path-reader.js";
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

type Parse = (value: unknown, audit: PathAudit, maxDepth: number) => unknown;

function jsonParser(spec: Preparation, place: Place): Parse {
  const names = spec.parse_json ?? [];
  if (names.length === 0) return (value) => value;
  const members = names.map((name, i) => {
    const at = [...place, "parse_json", i];
    return { name, path: parsePath(name, jsonPath(at)), read: rowReader(name, at, "parse_json") };
  });
  return (value, audit, maxDepth) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      throw new FieldError("", "is not an object", value);
    }
    let row: unknown = value;
    for (const { name, path, read } of members) {
      read(row, audit);
      row = changeAt(row, path, (text) => parsed(text, name, maxDepth));
    }
    return row;
  };
}

/** The value of JSON text; null and empty text stay. @throws FieldError for any other value */
function parsed(text: unknown, field: string, maxDepth: number): unknown {
  if (text === null || text === "") return text;
  if (typeof text !== "string") throw new FieldError(field, "is not JSON text");
  try {
    return parseJson(text, maxDepth);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new FieldError(field, error.tooDeep ? error.message : "is not JSON text");
  }
}

function plain(parse: Parse, audit: PathAudit, maxDepth: number): Preparer {
  return {
    row(row) {
      try {
        return [{ row: { ...row, value: parse(row.value, audit, maxDepth), rows: 1 } }];
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
export function compilePreparation(
  spec: Preparation,
  place: Place,
): (audit: PathAudit, maxDepth: number) => Preparer {
  const { assemble } = spec;
  const parse = jsonParser(spec, place);
  return assemble === undefined
    ? (audit, maxDepth) => plain(parse, audit, maxDepth)
    : () => assembled(assemble);
}

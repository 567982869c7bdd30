import { counted } from "../../contract/quantity.js";
import type { IngestWarning } from "../ingest-warning.js";
import type { SourceRow } from "../readers/source-row.js";
import type { Mapping } from "./form/schema.js";
import { jsonPath } from "./form/schema.js";
import { namedMembers } from "./named-members.js";

/** Rows of a file whose members are looked at, names that are kept of a source, and names that a warning lists. */
const LOOKED_ROWS = 1_000;
const MAX_NAMES = 512;
const LISTED_NAMES = 12;

/** What is known of the members of the rows of a source. */
interface Members {
  readonly index: number;
  /** Members that the mapping names or leaves out, and those of the first file. */
  readonly known: Set<string>;
  /** Whether the mapping says which members it leaves out, so that any other is one more. */
  readonly isListed: boolean;
  /** Members that no rule takes, by name: the first file that has them. */
  readonly more: Map<string, string>;
  first: string | undefined;
  file: string | undefined;
  rows: number;
}

/**
 * Notes members of rows that the mapping does not know: such as a column that files have from some day on. Those of the first file of a
 * source are taken for known, where the mapping does not list what it leaves out. Memory depends on the mapping alone.
 */
export class MemberAudit {
  private readonly sources = new Map<string, Members>();

  constructor(mapping: Mapping) {
    for (const [index, { name, left_out, assemble }] of mapping.sources.entries()) {
      const named = namedMembers(mapping, name);
      if (named === undefined || assemble !== undefined) continue;
      const known = new Set([...named, ...(left_out ?? [])]);
      const isListed = left_out !== undefined;
      const more = new Map<string, string>();
      this.sources.set(name, { index, known, isListed, more, first: undefined, file: undefined, rows: 0 });
    }
  }

  /** A row of a source, as it was read. */
  note({ source, file, value }: SourceRow): void {
    const members = this.sources.get(source);
    if (members === undefined || value === null || typeof value !== "object" || Array.isArray(value)) return;
    if (file !== members.file) Object.assign(members, { file, first: members.first ?? file, rows: 0 });
    if (++members.rows > LOOKED_ROWS) return;
    const { known, more, isListed, first } = members;
    for (const name of Object.keys(value)) {
      if (known.has(name) || more.has(name)) continue;
      if (isListed || file !== first) {
        if (more.size < MAX_NAMES) more.set(name, file);
      } else if (known.size < MAX_NAMES) known.add(name);
    }
  }

  /** What there is to say once all rows are read: a warning for each file that has more. */
  warnings(): readonly IngestWarning[] {
    return [...this.sources.values()].flatMap((members) =>
      [...new Set(members.more.values())].map((file) => moreWarning(members, file)),
    );
  }
}

function moreWarning({ index, more, first, isListed }: Members, file: string): IngestWarning {
  const names = [...more].flatMap(([name, of]) => (of === file ? [name] : []));
  const place = jsonPath(["sources", index]);
  const listed = names.slice(0, LISTED_NAMES).join(", ") + (names.length > LISTED_NAMES ? ", …" : "");
  const than = isListed ? "the mapping neither names nor leaves out" : `no rule takes and ${first} has not`;
  const message = `${place}: ${file} has ${counted(names.length, "field")} that ${than}: ${listed}; map ${names.length === 1 ? "it" : "them"}, or list ${names.length === 1 ? "it" : "them"} in left_out`;
  return { kind: "field_added", field: "left_out", place, value: file, rows: 0, names, message };
}

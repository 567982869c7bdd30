import { IngestError } from "../../contract/errors.js";
import type { SourceRow } from "../readers/source-row.js";
import { MAX_JOINED_ROWS } from "./defaults.js";
import { type Mapping, refuseMapping } from "./form/schema.js";
import type { PathAudit } from "./path-audit.js";
import { type RowReader, rowReader } from "./path-reader.js";

/** A join of rows of one source to rows of another that was read before. */
export interface CompiledJoin {
  /** The source whose rows get a member more. */
  readonly to: string;
  /** The source whose rows they get. */
  readonly from: string;
  readonly as: string;
  readonly on: RowReader;
  readonly key: RowReader;
  readonly fields: readonly { readonly name: string; readonly read: RowReader }[];
}

/** Compiles the joins of all sources. @throws MappingError */
export function compileJoins(sources: Mapping["sources"]): readonly CompiledJoin[] {
  return sources.flatMap((source, i) =>
    (source.join ?? []).map((join, j) => {
      const place = ["sources", i, "join", j];
      const before = sources.slice(0, i).map(({ name }) => name);
      if (!before.includes(join.source)) {
        const known = before.length === 0 ? "there is none before it" : `those are ${before.join(", ")}`;
        refuseMapping(
          [...place, "source"],
          `names no source that is read before this one; ${known}`,
          join.source,
        );
      }
      const path = (text: string, ...at: PropertyKey[]) => rowReader(text, [...place, ...at], "join");
      return {
        to: source.name,
        from: join.source,
        as: join.as,
        on: path(join.on, "on"),
        key: path(join.key, "key"),
        fields: join.fields.map((name, k) => ({ name, read: path(name, "fields", k) })),
      };
    }),
  );
}

/** Keeps the named fields of rows that others are joined to, and joins them. Memory is bounded by the number of rows. */
export class Joins {
  private readonly kept = new Map<CompiledJoin, Map<string, Readonly<Record<string, unknown>>>>();
  private rows = 0;

  constructor(
    private readonly joins: readonly CompiledJoin[],
    private readonly audit: PathAudit,
  ) {
    for (const join of joins) this.kept.set(join, new Map());
  }

  /** Keeps a row that others may be joined to; says whether its source is one of those. The first row of a key counts. */
  keep({ source, value }: SourceRow): boolean {
    let isJoined = false;
    for (const join of this.joins) {
      if (join.from !== source) continue;
      isJoined = true;
      const key = keyText(join.key(value, this.audit));
      const rows = this.kept.get(join)!;
      if (key === undefined || rows.has(key)) continue;
      if (++this.rows > MAX_JOINED_ROWS) throw tooMany(join);
      const fields: Record<string, unknown> = {};
      for (const { name, read } of join.fields) fields[name] = read(value, this.audit);
      rows.set(key, fields);
    }
    return isJoined;
  }

  /** The value of a row, with the fields of the rows that are joined to it. */
  joined({ source, value }: SourceRow): unknown {
    let out = value;
    for (const join of this.joins) {
      if (join.to !== source || typeof value !== "object" || value === null || Array.isArray(value)) continue;
      const key = keyText(join.on(value, this.audit));
      const found = key === undefined ? undefined : this.kept.get(join)!.get(key);
      if (found !== undefined) out = { ...(out as object), [join.as]: found };
    }
    return out;
  }
}

/** The text of a key, for a list those of its members; undefined for null, empty text and an object, which are no key. */
function keyText(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.map(keyText);
    return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(",");
  }
  const isKey =
    typeof value === "string" ||
    typeof value === "boolean" ||
    typeof value === "bigint" ||
    (typeof value === "number" && Number.isFinite(value));
  return isKey ? String(value) || undefined : undefined;
}

function tooMany({ from }: CompiledJoin): IngestError {
  return new IngestError(
    "join_too_large",
    `Over ${MAX_JOINED_ROWS} rows of ${from} are to be joined to others`,
    {
      value: from,
      remedy: "join the smaller source to the larger one, or split the input",
    },
  );
}

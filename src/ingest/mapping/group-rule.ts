import { EventLoopTurn } from "../../event-loop-turn.js";
import type { Converted } from "../adapters/adapter.js";
import { CONVERT_TURN_MS } from "../defaults.js";
import { FieldError } from "../values/field-error.js";
import { compileAggregate } from "./aggregate.js";
import type { Contribution, Fold } from "./aggregate-fold.js";
import { ExternalSort } from "./external-sort.js";
import type { GroupSpec } from "./form/schema.js";
import { compileItems, type MakeItems } from "./items.js";
import type { PreparedRow } from "./prepare.js";
import type { MappingContext } from "./record-rule.js";
import type { Run } from "./run.js";
import type { Place, Scope } from "./scope.js";
import { compileValue } from "./value.js";

const BATCH = 256;

/** A row's contribution to its group. */
interface GroupRow {
  readonly file: string;
  readonly line: number;
  readonly element?: number | undefined;
  /** Source rows without other items, which are rejected with the group. */
  readonly rows: number;
  readonly values: Readonly<Record<string, Contribution>>;
  readonly key: readonly string[];
}

/** A compiled group rule. */
export interface CompiledGroup {
  /** Reads a row's contribution to its group. @throws FieldError if it has no key, or a value does not fit */
  readonly entryOf: (
    row: PreparedRow,
    scope: Scope,
    hasItems: boolean,
  ) => { readonly key: string; readonly groupRow: GroupRow };
  readonly make: MakeItems;
  readonly folds: () => Readonly<Record<string, Fold>>;
}

/** Compiles a group. @throws MappingError */
export function compileGroup(
  spec: GroupSpec,
  sources: readonly string[],
  context: MappingContext,
  place: Place,
): CompiledGroup {
  const by = spec.by.map((value, i) => compileValue(value, "string", [...place, "by", i], `by[${i}]`));
  const aggregates = Object.entries(spec.fields).map(
    ([name, aggregate]) =>
      [name, compileAggregate(aggregate, sources, [...place, "fields", name], name)] as const,
  );
  return {
    entryOf(row, scope, hasItems) {
      const key = by.map((value, i) => {
        const part = value(scope);
        if (part === undefined) throw new FieldError(`by[${i}]`, "the row has no key to group it by");
        return part as string;
      });
      const values: Record<string, Contribution> = {};
      for (const [name, { contribute }] of aggregates) {
        const contribution = contribute(scope, row.source);
        if (contribution !== undefined) values[name] = contribution;
      }
      const { file, line, element } = row;
      return {
        key: JSON.stringify(key),
        groupRow: { file, line, element, rows: hasItems ? 0 : row.rows, values, key },
      };
    },
    make: compileItems(spec, context, place),
    folds: () => Object.fromEntries(aggregates.map(([name, { fold }]) => [name, fold()])),
  };
}

/** Collects the rows of one rule into groups. */
export class Grouping {
  private readonly group: CompiledGroup;
  private readonly sort: ExternalSort<GroupRow>;
  private readonly run: Run;

  constructor(
    group: CompiledGroup,
    run: Run,
    options: { tempDirectory: string; signal?: AbortSignal | undefined },
  ) {
    this.group = group;
    this.run = run;
    this.sort = new ExternalSort(options);
  }

  /** Adds a row's contribution. Returns a promise only if it spills. */
  add(entry: { readonly key: string; readonly groupRow: GroupRow }): Promise<void> | undefined {
    return this.sort.add(entry.key, entry.groupRow);
  }

  /** The items of all groups, in key order. */
  async *items(): AsyncGenerator<readonly Converted[]> {
    const turn = new EventLoopTurn(CONVERT_TURN_MS);
    let batch: Converted[] = [];
    let key: string | undefined;
    let first: GroupRow | undefined;
    let rows = 0;
    let folds: Readonly<Record<string, Fold>> = {};
    for await (const { key: next, value: groupRow } of this.sort.sorted()) {
      if (turn.isOver()) await turn.next();
      if (next !== key) {
        if (first !== undefined) batch.push(...this.finish(first, rows, folds));
        if (batch.length >= BATCH) {
          yield batch;
          batch = [];
        }
        key = next;
        first = groupRow;
        rows = 0;
        folds = this.group.folds();
      }
      rows += groupRow.rows;
      for (const [name, contribution] of Object.entries(groupRow.values)) folds[name]!.add(contribution);
    }
    if (first !== undefined) batch.push(...this.finish(first, rows, folds));
    if (batch.length > 0) yield batch;
  }

  /** Removes spilled rows. */
  close(): Promise<void> {
    return this.sort.close();
  }

  private finish(first: GroupRow, rows: number, folds: Readonly<Record<string, Fold>>): Converted[] {
    const row: Record<string, unknown> = { key: first.key };
    for (const [name, fold] of Object.entries(folds)) {
      const value = fold.result();
      if (value !== undefined) row[name] = value;
    }
    try {
      return Array.from(this.group.make(this.scopeOf(row, first), this.run), (ok) => ({ ok }));
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      const { file, line, element } = first;
      return [{ reject: { file, line, element, field: error.field, reason: error.message, rows } }];
    }
  }

  /** The place of a group is that of its first row. */
  private scopeOf(row: unknown, { file, line, element }: GroupRow): Scope {
    const { authorSalt, givenCapture: capturedAt, audit } = this.run;
    return { row, authorSalt, file, line, element, capturedAt, audit };
  }
}

import type { SliceItem } from "../../contract/slice/slice-item.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import type { Adapter, AdapterContext, Converted } from "../adapters/adapter.js";
import type { SourceSpec } from "../adapters/source-spec.js";
import { CONVERT_TURN_MS, INGEST_LIMITS } from "../defaults.js";
import type { SourceRow } from "../readers/source-row.js";
import { FieldError } from "../values/field-error.js";
import { platformsBySlug } from "./build-record.js";
import { compileConditions, type Test } from "./condition.js";
import { type Mapping, parseMapping, type Rule, refuseMapping } from "./form/schema.js";
import { type CompiledGroup, compileGroup, Grouping } from "./group-rule.js";
import { compileItems, type MakeItems } from "./items.js";
import { type CompiledJoin, compileJoins, Joins } from "./join.js";
import { MemberAudit } from "./member-audit.js";
import { compilePreparation, type Prepared, type Preparer } from "./prepare.js";
import type { MappingContext } from "./record-rule.js";
import { type Run, startRun } from "./run.js";
import type { Place, Scope } from "./scope.js";

interface CompiledRule {
  readonly sources: readonly string[];
  readonly test: Test;
  readonly make: MakeItems | undefined;
  readonly group: CompiledGroup | undefined;
}

/** A row's entry in the group of a rule. */
interface GroupEntry {
  readonly rule: CompiledRule;
  readonly entry: ReturnType<CompiledGroup["entryOf"]>;
}

function compileRule(rule: Rule, context: MappingContext, place: Place): CompiledRule {
  const sources = typeof rule.from === "string" ? [rule.from] : rule.from;
  for (const source of sources) {
    if (!context.mapping.sources.some(({ name }) => name === source)) {
      refuseMapping([...place, "from"], "names no source", source);
    }
  }
  const hasItems = rule.record !== undefined || rule.raw !== undefined;
  if (!hasItems && rule.group === undefined) refuseMapping(place, "needs a record, raw items or a group");
  return {
    sources,
    test: compileConditions(rule.when, [...place, "when"]),
    make: hasItems ? compileItems(rule, context, place) : undefined,
    group: rule.group && compileGroup(rule.group, sources, context, [...place, "group"]),
  };
}

/** Whether every rule defines the capture time of its items. */
function namesCapture(mapping: Mapping): boolean {
  if (mapping.defaults?.captured_at !== undefined) return true;
  return mapping.rules.every((rule) =>
    [rule, rule.group].every((part) => {
      if (part?.record !== undefined) return part.record.captured_at !== undefined;
      return (part?.raw ?? []).every((raw) => raw.captured_at !== undefined);
    }),
  );
}

function compileSources(mapping: Mapping): readonly SourceSpec[] {
  return mapping.sources.map(({ name, files, read }, i) => {
    if (mapping.sources.findIndex((other) => other.name === name) !== i) {
      refuseMapping(["sources", i, "name"], "is also the name of another source", name);
    }
    return { name, files, read };
  });
}

/** One conversion: the rules applied to the rows of one input. */
class Conversion {
  private readonly rules: readonly CompiledRule[];
  private readonly run: Run;
  private readonly preparers: ReadonlyMap<string, Preparer>;
  private readonly groupings = new Map<CompiledRule, Grouping>();
  private readonly joins: Joins;
  private readonly members: MemberAudit;
  private readonly onWarning: AdapterContext["onWarning"];

  constructor(
    rules: readonly CompiledRule[],
    preparers: ReadonlyMap<string, Preparer>,
    run: Run,
    context: AdapterContext,
    joins: readonly CompiledJoin[],
    mapping: Mapping,
  ) {
    this.members = new MemberAudit(mapping);
    this.joins = new Joins(joins, run.audit);
    this.onWarning = context.onWarning;
    this.rules = rules;
    this.run = run;
    this.preparers = preparers;
    for (const rule of rules) {
      if (rule.group === undefined) continue;
      const { tempDirectory, signal } = context;
      this.groupings.set(rule, new Grouping(rule.group, run, { tempDirectory, signal }));
    }
  }

  async *convert(batches: AsyncIterable<readonly SourceRow[]>): AsyncGenerator<readonly Converted[]> {
    const turn = new EventLoopTurn(CONVERT_TURN_MS);
    try {
      for await (const batch of batches) {
        const out: Converted[] = [];
        for (const row of batch) {
          if (turn.isOver()) await turn.next();
          this.members.note(row);
          const preparer = this.preparers.get(row.source);
          if (preparer === undefined) throw new TypeError(`no source is named ${JSON.stringify(row.source)}`);
          for (const prepared of preparer.row(row)) {
            const entries = await this.take(prepared, out, turn);
            if (entries !== undefined) await this.addToGroups(entries);
          }
        }
        // The writing of what was converted has a turn of its own.
        if (turn.isOver()) await turn.next();
        yield out;
      }
      const rest: Converted[] = [];
      for (const preparer of this.preparers.values()) {
        for (const prepared of preparer.end()) {
          const entries = await this.take(prepared, rest, turn);
          if (entries !== undefined) await this.addToGroups(entries);
        }
      }
      if (rest.length > 0) yield rest;
      for (const grouping of this.groupings.values()) yield* grouping.items();
      const warnings = [...this.run.audit.warnings(), ...this.members.warnings()];
      for (const warning of warnings) this.onWarning?.(warning);
    } finally {
      for (const grouping of this.groupings.values()) await grouping.close();
    }
  }

  private async addToGroups(entries: readonly GroupEntry[]): Promise<void> {
    for (const { rule, entry } of entries) await this.groupings.get(rule)!.add(entry);
  }

  /** Converts a row; returns its group entries, if any. The event loop turns between items of a row that take long. */
  private async take(
    prepared: Prepared,
    out: Converted[],
    turn: EventLoopTurn,
  ): Promise<readonly GroupEntry[] | undefined> {
    if ("unused" in prepared) {
      out.push(prepared);
      return undefined;
    }
    const row = "row" in prepared ? prepared.row : prepared.at;
    const { file, line, element, rows } = row;
    try {
      if ("error" in prepared) throw prepared.error;
      const kept = this.joins.keep(row);
      const value = this.joins.joined(row);
      const { authorSalt, givenCapture: capturedAt, audit } = this.run;
      const rules = this.rules.filter(
        ({ sources, test }) => sources.includes(row.source) && test(value, audit),
      );
      if (rules.length === 0) {
        const reason = kept ? "joined to rows of other sources" : `no rule matches it (source ${row.source})`;
        out.push({ unused: { file, line, reason, rows } });
        return undefined;
      }
      const scope: Scope = { row: value, authorSalt, file, line, element, capturedAt, audit };
      // All or nothing: a row rejected by one rule gives no items through another.
      const items: SliceItem[] = [];
      for (const { make } of rules) {
        if (make === undefined) continue;
        for (const item of make(scope, this.run)) {
          items.push(item);
          if (turn.isOver()) await turn.next();
        }
      }
      const entries = rules.flatMap((rule) =>
        rule.group ? [{ rule, entry: rule.group.entryOf(row, scope, items.length > 0) }] : [],
      );
      if (items.length === 0 && entries.length === 0) {
        out.push({ unused: { file, line, reason: "its rules produce no item", rows } });
        return undefined;
      }
      for (const ok of items) out.push({ ok });
      return entries.length > 0 ? entries : undefined;
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      out.push({ reject: { file, line, element, field: error.field, reason: error.message, rows } });
      return undefined;
    }
  }
}

/**
 * Compiles a mapping document (the parsed JSON of a mapping file) to an adapter.
 * @throws MappingError `invalid_mapping` or `invalid_path`, with the JSON path and the broken rule
 */
export function compileMapping(document: unknown): Adapter {
  const mapping = parseMapping(document);
  const platforms = platformsBySlug(mapping.info.platforms);
  const context: MappingContext = { mapping, platforms };
  const sources = compileSources(mapping);
  const preparations = mapping.sources.map(
    (source, i) => [source.name, compilePreparation(source, ["sources", i])] as const,
  );
  const rules = mapping.rules.map((rule, i) => compileRule(rule, context, ["rules", i]));
  const capture = namesCapture(mapping);
  const joins = compileJoins(mapping.sources);
  return {
    name: mapping.name,
    info: mapping.info,
    hashes: "computed",
    sources,
    unread: mapping.unread,
    convert(rows, given) {
      const run = startRun(given, platforms, capture);
      const { maxDepth = INGEST_LIMITS.maxDepth } = given;
      const preparers = new Map(preparations.map(([name, prepare]) => [name, prepare(run.audit, maxDepth)]));
      return new Conversion(rules, preparers, run, given, joins, mapping).convert(rows);
    },
  };
}

import { roundTo } from "../../contract/round-to.js";
import type { Contribution, Fold } from "./aggregate-fold.js";
import { comparisonOf, extreme } from "./extreme.js";
import { type Aggregate, refuseMapping } from "./form/schema.js";
import { withoutNumberOptions } from "./number-options.js";
import { optional } from "./optional.js";
import type { Place, Scope, Value } from "./scope.js";
import { compileValue } from "./value.js";

const DEFAULT_COLLECT_LIMIT = 100;
/** Values kept for `top_by`, as a multiple of the limit, so that sorting is rare. */
const TOP_SLACK = 2;

/** A compiled aggregate: reads a row's contribution (undefined for none), and starts a fold for a group. */
export interface CompiledAggregate {
  readonly contribute: (scope: Scope, source: string) => Contribution | undefined;
  readonly fold: () => Fold;
}

function keepFirst(): Fold {
  let kept: unknown;
  return {
    add: ({ v }) => {
      kept ??= v;
    },
    result: () => kept,
  };
}

function keepLast(): Fold {
  let kept: unknown;
  return {
    add: ({ v }) => {
      kept = v;
    },
    result: () => kept,
  };
}

function total(of: "sum" | "mean" | "count", round: number | undefined): Fold {
  let sum = 0;
  let count = 0;
  return {
    add: ({ v }) => {
      count++;
      if (of !== "count") sum += v as number;
    },
    result: () => {
      if (of === "count") return count;
      if (count === 0) return undefined;
      const value = of === "sum" ? sum : sum / count;
      return round === undefined ? value : roundTo(value, round);
    },
  };
}

interface Kept {
  readonly v: unknown;
  /** The highest rank of the value, and the number of the contribution that has it. */
  o: number;
  i: number;
}

function collect(limit: number, unique: boolean, top: boolean): Fold {
  const kept: Kept[] = [];
  const collected = new Map<string, Kept>();
  let count = 0;
  const trim = () => {
    kept.sort((a, b) => b.o - a.o || a.i - b.i);
    for (const { v } of unique ? kept.slice(limit) : []) collected.delete(JSON.stringify(v));
    kept.length = Math.min(kept.length, limit);
  };
  return {
    add: ({ v, o = 0 }) => {
      if (!top && kept.length >= limit) return;
      const item: Kept = { v, o, i: count++ };
      if (unique) {
        const text = JSON.stringify(v);
        const before = collected.get(text);
        if (before !== undefined) {
          if (o > before.o) Object.assign(before, { o, i: item.i });
          return;
        }
        collected.set(text, item);
      }
      kept.push(item);
      if (top && kept.length >= limit * TOP_SLACK) trim();
    },
    result: () => {
      if (top) trim();
      return kept.length === 0 ? undefined : kept.slice(0, limit).map((item) => item.v);
    },
  };
}

/**
 * Compiles one aggregate of a group. Memory per group is bounded: a value, or `limit` values.
 * @throws MappingError
 */
export function compileAggregate(
  spec: Aggregate,
  sources: readonly string[],
  place: Place,
  field: string,
): CompiledAggregate {
  if (spec.of !== undefined && !sources.includes(spec.of)) {
    refuseMapping([...place, "of"], "is not a source of the rule", spec.of);
  }
  const rank = optional(spec.top_by, (value) => compileValue(value, "number", [...place, "top_by"], field));
  const build = (value: Value, fold: () => Fold): CompiledAggregate => ({
    contribute: (scope, source) => {
      if (spec.of !== undefined && spec.of !== source) return undefined;
      const v = value(scope);
      if (v === undefined) return undefined;
      const o = rank?.(scope);
      return o === undefined ? { v } : { v, o: o as number };
    },
    fold,
  });
  const number = (name: "sum" | "mean") => compileValue(spec[name]!, "number", [...place, name], field);
  const any = (name: "first" | "last" | "collect") =>
    compileValue(spec[name]!, "json", [...place, name], field);

  if (spec.first !== undefined) return build(any("first"), keepFirst);
  if (spec.last !== undefined) return build(any("last"), keepLast);
  for (const which of ["min", "max"] as const) {
    const value = spec[which];
    if (value === undefined) continue;
    const comparison = comparisonOf(value);
    // What is no number is compared as text, so that reading numbers is left to the comparison.
    const given = withoutNumberOptions(value);
    return build(compileValue(given, "json", [...place, which], field), () => extreme(which, comparison));
  }
  if (spec.sum !== undefined) return build(number("sum"), () => total("sum", spec.round));
  if (spec.mean !== undefined) return build(number("mean"), () => total("mean", spec.round));
  if (spec.collect !== undefined) {
    const limit = spec.limit ?? DEFAULT_COLLECT_LIMIT;
    return build(any("collect"), () => collect(limit, spec.unique ?? false, rank !== undefined));
  }
  const counted: Value =
    spec.count === true ? () => true : compileValue(spec.count!, "json", [...place, "count"], field);
  return build(counted, () => total("count", undefined));
}

import { checkEndpoints, meetsPattern } from "./fault-endpoints.js";
import {
  type FaultInput,
  type FaultPlan,
  type FaultPlanInput,
  type FaultRule,
  faultPlanOf,
} from "./fault-plan.js";
import { Seeded } from "./seeded.js";
import type { WireFault } from "./wire-fault.js";

/** Most applied faults that are remembered. */
const REMEMBERED = 10_000;
/** Faults after which nothing else happens to a call. */
const FINAL: ReadonlySet<FaultRule["fault"]> = new Set([
  "status",
  "hang",
  "drop",
  "cut",
  "short",
  "malformed-json",
  "malformed-chunk",
]);

/** A fault that happened. */
export interface AppliedFault {
  readonly endpoint: string;
  /** Number of the call among those that the fault's pattern meets, from 1. */
  readonly call: number;
  readonly fault: FaultRule["fault"];
}

interface Counted {
  readonly rule: FaultRule;
  readonly meets: (endpoint: string) => boolean;
  calls: number;
  happened: number;
}

/**
 * Decides which calls meet which faults, by endpoint and by count, or by rate from a seed: the same plan and the same calls meet
 * the same faults. Faults are tried in the order of the plan; what delays or changes an answer adds up, what ends a call ends it.
 */
export class FaultInjector {
  private rules: Counted[] = [];
  private random = new Seeded("");
  private plan: FaultPlan = { seed: "", faults: [] };
  private readonly wires = new Map<string, WireFault>();
  private readonly log: AppliedFault[] = [];
  private ended = new AbortController();
  /** Ids of the endpoints of each lake with this injector. */
  private readonly known: (() => readonly string[])[] = [];

  /** @throws UsageError `invalid_faults` */
  constructor(plan: FaultPlanInput = []) {
    this.set(plan);
  }

  /** The plan, with every default. */
  get faults(): readonly FaultRule[] {
    return this.plan.faults;
  }

  /** The faults that happened, oldest first; at most the newest 10,000. */
  get applied(): readonly AppliedFault[] {
    return this.log;
  }

  /** Aborted when the calls that hang now should end, in every lake with this injector. */
  get ending(): AbortSignal {
    return this.ended.signal;
  }

  /**
   * Notes the endpoints of a lake: from now on a fault has to name one of this or another lake with the injector.
   * @param endpoints their catalogue ids
   * @throws UsageError `invalid_faults` if a fault of the plan names none
   */
  know(endpoints: () => readonly string[]): void {
    this.known.push(endpoints);
    this.check(this.plan.faults);
  }

  /** Replaces the plan and counts from the start. @throws UsageError `invalid_faults`; the plan stays then */
  set(plan: FaultPlanInput): void {
    const next = faultPlanOf(plan);
    this.check(next.faults);
    this.plan = next;
    this.reset();
  }

  /** Adds faults; others keep their counts. @throws UsageError `invalid_faults` */
  add(...faults: readonly FaultInput[]): void {
    const { faults: added } = faultPlanOf(faults);
    this.check(added);
    this.plan = { ...this.plan, faults: [...this.plan.faults, ...added] };
    this.rules.push(...added.map(counted));
  }

  /** Removes all faults. */
  clear(): void {
    this.set([]);
  }

  /** Counts from the start, with the seed of the plan. */
  reset(): void {
    this.rules = this.plan.faults.map(counted);
    this.random = new Seeded(this.plan.seed);
    this.log.length = 0;
    this.wires.clear();
  }

  /** Ends the calls that hang now, in every lake with this injector; later calls hang again. A lake that closes ends its own. */
  end(): void {
    this.ended.abort(new Error("the calls that hang were ended"));
    this.ended = new AbortController();
  }

  /** The faults that meet the next call of an endpoint, in order. */
  next(endpoint: string): FaultRule[] {
    const faults: FaultRule[] = [];
    let over = false;
    for (const counted of this.rules) {
      if (!counted.meets(endpoint)) continue;
      counted.calls += 1;
      // Drawn for every call, so that one fault does not move another's numbers.
      const drawn = counted.rule.rate === undefined ? 0 : this.random.next();
      if (over || !happens(counted, drawn)) continue;
      counted.happened += 1;
      faults.push(counted.rule);
      this.note({ endpoint, call: counted.calls, fault: counted.rule.fault });
      over = FINAL.has(counted.rule.fault);
    }
    return faults;
  }

  /** A normally distributed number of mean 0 and deviation 1 (Box and Muller 1958). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.random.next()));
    return radius * Math.cos(2 * Math.PI * this.random.next());
  }

  /** Keeps a fault for the transport of the answer to a request. */
  keepWire(requestId: string, fault: WireFault): void {
    this.wires.set(requestId, fault);
  }

  /** The fault for the transport of an answer, once. */
  takeWire(requestId: string): WireFault | undefined {
    const fault = this.wires.get(requestId);
    this.wires.delete(requestId);
    return fault;
  }

  private check(faults: readonly FaultRule[]): void {
    if (this.known.length > 0) checkEndpoints(faults, () => this.known.flatMap((ids) => ids()));
  }

  private note(applied: AppliedFault): void {
    this.log.push(applied);
    if (this.log.length > REMEMBERED) this.log.shift();
  }
}

function counted(rule: FaultRule): Counted {
  return { rule, meets: meetsPattern(rule.endpoint), calls: 0, happened: 0 };
}

function happens({ rule, calls, happened }: Counted, drawn: number): boolean {
  const { at, every, rate, after = 0, times } = rule;
  const number = calls - after;
  if (number < 1 || (times !== undefined && happened >= times)) return false;
  if (at !== undefined && !(typeof at === "number" ? at === number : at.includes(number))) return false;
  if (every !== undefined && number % every !== 0) return false;
  return rate === undefined || drawn < rate;
}

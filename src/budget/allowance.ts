import { BudgetError, UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, micros, parseUsd } from "../contract/money.js";
import { counted } from "../contract/quantity.js";

/** Limits of a budget; what is absent is not limited. */
export interface BudgetLimits {
  /** USD as decimal text (`"1.50"`) or number. */
  readonly usd?: string | number | undefined;
  readonly calls?: number | undefined;
  /** Tokens of answers, as `countTokens` counts them. */
  readonly tokens?: number | undefined;
}

/** Money, calls and tokens; money is decimal USD. */
export interface Spent {
  readonly usd: string;
  readonly calls: number;
  readonly tokens: number;
}

/** What a budget was spent on. */
export interface BudgetReport {
  readonly spent: Spent;
  /** What is left of each limit; running calls count with what they can cost. */
  readonly left: { readonly usd?: string; readonly calls?: number; readonly tokens?: number };
  /** By endpoint or tool, the dearest first. */
  readonly by: readonly (Spent & { readonly name: string })[];
}

/** What a call can cost at most. */
export interface Wanted {
  readonly usd: MicroUsd;
  readonly calls: number;
  readonly tokens: number;
}

/** A running call's share of the budget. */
export interface Share {
  /** Replaces the share by what the call did cost. */
  settle(cost: { readonly usd: MicroUsd; readonly tokens: number }): void;
}

interface Sum {
  usd: bigint;
  calls: number;
  tokens: number;
}

/** What is counted, but for money. */
const NOUNS = { calls: "call", tokens: "token" } as const;

const none = (): Sum => ({ usd: 0n, calls: 0, tokens: 0 });

/** Counts what calls cost against limits. Running calls count with the most they can cost, so parallel calls cannot exceed a limit. */
export class Allowance {
  private readonly limits: Partial<Sum>;
  private readonly spent = none();
  private readonly reserved = none();
  private readonly byName = new Map<string, Sum>();

  /** @throws UsageError `invalid_amount` */
  constructor({ usd, calls, tokens }: BudgetLimits) {
    const limit = usd === undefined ? undefined : parseUsd(String(usd));
    if (limit !== undefined && limit < 0n)
      throw new UsageError("invalid_amount", `A budget cannot be negative: ${usd}`, {
        value: usd,
        remedy: "Give an amount of USD, zero or more; omit it for no limit.",
      });
    this.limits = { usd: limit, calls, tokens };
  }

  /** What is left of a limit; undefined where there is none. */
  left<K extends keyof Sum>(key: K): Sum[K] | undefined {
    const limit = this.limits[key];
    if (limit === undefined) return undefined;
    return ((limit as number) - (this.spent[key] as number) - (this.reserved[key] as number)) as Sum[K];
  }

  /** Reserves what a call can cost. @throws BudgetError `budget_exceeded` with what would be needed; do not make the call then */
  reserve(name: string, wanted: Wanted): Share {
    const lacking = (["usd", "calls", "tokens"] as const).filter((key) => {
      const left = this.left(key);
      return left !== undefined && wanted[key] > left;
    });
    if (lacking.length > 0) throw this.exceeded(name, wanted, lacking);
    add(this.reserved, wanted, 1n);
    return {
      settle: ({ usd, tokens }) => {
        add(this.reserved, wanted, -1n);
        const cost = { usd, calls: wanted.calls, tokens };
        add(this.spent, cost, 1n);
        const sum = this.byName.get(name) ?? none();
        add(sum, cost, 1n);
        this.byName.set(name, sum);
      },
    };
  }

  /** What was spent, on what, and what is left. */
  report(): BudgetReport {
    const by = [...this.byName].map(([name, sum]) => ({ name, ...shown(sum), dearness: sum.usd }));
    by.sort((a, b) => (a.dearness === b.dearness ? b.calls - a.calls : a.dearness > b.dearness ? -1 : 1));
    const usd = this.left("usd");
    return {
      spent: shown(this.spent),
      left: {
        usd: usd === undefined ? undefined : formatUsd(micros(usd)),
        calls: this.limits.calls === undefined ? undefined : this.left("calls")!,
        tokens: this.limits.tokens === undefined ? undefined : this.left("tokens")!,
      },
      by: by.map(({ dearness: _, ...row }) => row),
    };
  }

  /** What is left in a line, for a model. */
  words(): string {
    const { left } = this.report();
    const parts = [
      ...(left.usd === undefined ? [] : [`${left.usd} USD`]),
      ...(left.calls === undefined ? [] : [counted(left.calls, "call")]),
      ...(left.tokens === undefined ? [] : [counted(left.tokens, "token")]),
    ];
    return parts.length === 0 ? "" : `Left of the budget: ${parts.join(", ")}.`;
  }

  private exceeded(name: string, wanted: Wanted, lacking: readonly (keyof Sum)[]): BudgetError {
    const words = lacking.map((key) => {
      const of = (value: bigint | number) =>
        key === "usd" ? `${formatUsd(micros(BigInt(value)))} USD` : counted(Number(value), NOUNS[key]);
      const left = this.left(key)!;
      return `it needs ${of(wanted[key])} and ${of(left)} ${left === 1 ? "is" : "are"} left`;
    });
    return new BudgetError("budget_exceeded", `The budget does not allow ${name}: ${words.join("; ")}`, {
      value: name,
      remedy: "Ask for less, use what there is, or raise the limit; running calls hold what they can cost.",
    });
  }
}

function add(sum: Sum, { usd, calls, tokens }: Wanted, sign: 1n | -1n): void {
  sum.usd += usd * sign;
  sum.calls += calls * Number(sign);
  sum.tokens += tokens * Number(sign);
}

function shown({ usd, calls, tokens }: Sum): Spent {
  return { usd: formatUsd(micros(usd)), calls, tokens };
}

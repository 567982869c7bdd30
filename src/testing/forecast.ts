import { z } from "zod";
import type { LedgerEntry } from "../account/ledger-entry.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { formatUsd, type MicroUsd, micros, ZERO_USD } from "../contract/money.js";
import { CatalogueOption, CountOption } from "../contract/option-schemas.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";

/** What the remote account has before the run. */
export interface ForecastOptions {
  /** Free calls left; 0 by default, so that the forecast is the most that it can cost. */
  readonly freeCalls?: number | undefined;
  /** Rows with the remote's prices; the shipped ones by default. */
  readonly catalogue?: readonly EndpointSpec[] | undefined;
}

/** What a run will cost on the remote service. */
export interface Forecast {
  /** Sum of the prices that the balance pays, decimal USD. */
  readonly usd: string;
  /** Calls that the free quota covers. */
  readonly freeCalls: number;
  /** Calls with a result that is not empty, so that they have a price. */
  readonly billable: number;
  /** All calls. */
  readonly calls: number;
  /** By endpoint, those that cost most first. */
  readonly endpoints: readonly { readonly endpoint: string; readonly calls: number; readonly usd: string }[];
}

/** A call of a local run, as far as its price goes. */
export interface RunCall {
  readonly endpoint: string;
  /** Whether it answered something: only then has it a price (service.md section 8). */
  readonly billable: boolean;
}

const ENTRIES = z.custom<AsyncIterable<LedgerEntry>>(
  (value) =>
    typeof (value as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] ===
    "function",
  "must be the entries of an account, such as lake.account.entries()",
);
const OPTIONS = optionsSchema<ForecastOptions>(() => ({
  freeCalls: CountOption.optional(),
  catalogue: CatalogueOption.optional(),
}));

/**
 * Forecasts what calls cost on the remote service from a run on a lake: `await forecastRun(lake.account.entries())`. Prices are those
 * of the catalogue; the free quota is used first, in the order of the calls.
 * @throws UsageError `invalid_argument`, `invalid_options`
 */
export async function forecastRun(
  entries: AsyncIterable<LedgerEntry>,
  options: ForecastOptions = {},
): Promise<Forecast> {
  checkArgument(ENTRIES, entries, "entries", "forecastRun");
  checkOptions(OPTIONS, options, "forecastRun");
  const calls: RunCall[] = [];
  for await (const { kind, endpoint, outcome } of entries) {
    if (kind !== "call" || endpoint === undefined) continue;
    calls.push({ endpoint, billable: ["charged", "free_quota", "no_charge"].includes(outcome ?? "") });
  }
  return forecastOf(calls, options);
}

/** Forecasts what calls cost, in their order. */
export function forecastOf(
  calls: readonly RunCall[],
  { freeCalls = 0, catalogue = CATALOGUE }: ForecastOptions = {},
): Forecast {
  const rows = new Map(catalogue.map((row) => [row.id as string, row]));
  const endpoints = new Map<string, { calls: number; usd: MicroUsd }>();
  let [total, free, billable] = [0n, 0, 0];
  for (const call of calls) {
    const row = rows.get(call.endpoint);
    const sum = endpoints.get(call.endpoint) ?? { calls: 0, usd: ZERO_USD };
    let price: bigint = 0n;
    if (call.billable && row !== undefined && row.price > 0n) {
      billable += 1;
      if (row.freeEligible && free < freeCalls) free += 1;
      else price = row.price;
    }
    total += price;
    endpoints.set(call.endpoint, { calls: sum.calls + 1, usd: micros(sum.usd + price) });
  }
  return {
    usd: formatUsd(micros(total)),
    freeCalls: free,
    billable,
    calls: calls.length,
    endpoints: [...endpoints]
      .sort(([a, x], [b, y]) => Number(y.usd - x.usd) || (a < b ? -1 : 1))
      .map(([endpoint, sum]) => ({ endpoint, calls: sum.calls, usd: formatUsd(sum.usd) })),
  };
}

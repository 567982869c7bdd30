import { z } from "zod";
import type { Answer } from "../client/answer.js";
import type { CallOptions, Client } from "../client/client.js";
import { itemsOf, pagesOf } from "../client/pages.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { ApiError, ResponseError } from "../contract/errors.js";
import { type MicroUsd, micros, parseUsd } from "../contract/money.js";
import { objectOption } from "../contract/option-schemas.js";
import { UNSTATED_RAW_PRICE } from "../contract/service/endpoint.js";
import { countTokens } from "../tools/count-tokens.js";
import { plainJson } from "../tools/plain-json.js";
import type { Tool, ToolClient } from "../tools/tool.js";
import { Allowance, type BudgetLimits, type BudgetReport } from "./allowance.js";
import { budgetedTool } from "./budgeted-tool.js";

/** What has a budget. */
export interface Budgeted {
  readonly budget: {
    /** What was spent, on what, and what is left. */
    report(): BudgetReport;
  };
}

const LIMITS = optionsSchema<BudgetLimits>(() => ({
  usd: z.union([z.string(), z.number()]).optional(),
  calls: z.int().min(0).optional(),
  tokens: z.int().min(0).optional(),
}));
const Target = z.union([objectOption<ToolClient>(["call"], "a client"), z.array(z.unknown())], {
  error: "must be a client or a tool set",
});

/**
 * Puts a budget around a client or a tool set. It reserves what a call can cost before the call is made, settles by what it did cost, and
 * refuses what could exceed a limit, saying what would be needed.
 *
 * Around a client, calls are those of the service, tokens those of the answers as JSON without vectors: an answer's tokens are known
 * afterwards, so one call can exceed that limit, and the next is refused. Its queries (`sql`), `fetch` and `service` are no such calls
 * and stay as they are. Around a tool set, calls are those of tools, and no answer gets more tokens than are left.
 * @throws UsageError `invalid_argument`, `invalid_options`, `invalid_amount`
 */
export function withBudget(set: readonly Tool[], limits: BudgetLimits): Tool[] & Budgeted;
export function withBudget<C extends ToolClient>(client: C, limits: BudgetLimits): C & Budgeted & ToolClient;
export function withBudget(target: ToolClient | readonly Tool[], limits: BudgetLimits): unknown {
  checkArgument(Target, target, "target", "withBudget");
  checkOptions(LIMITS, limits, "withBudget");
  const allowance = new Allowance(limits);
  const budget: Budgeted["budget"] = { report: () => allowance.report() };
  if (!Array.isArray(target))
    return budgetedClient(target as ToolClient & Partial<Client>, allowance, budget);
  const set = (target as readonly Tool[]).map((tool) => budgetedTool(tool, allowance));
  return Object.assign(set, { budget });
}

function budgetedClient(
  client: ToolClient & Partial<Client>,
  allowance: Allowance,
  budget: Budgeted["budget"],
): ToolClient & Budgeted {
  const prices = new Map(client.catalogue.map(({ id, price }) => [id, price] as const));

  /** Makes a call within the budget. One that fails counts its price, unless the service answered: its errors are free. */
  async function within<T extends Answer>(id: string, make: () => Promise<T>): Promise<T> {
    const price = prices.get(id) ?? parseUsd(UNSTATED_RAW_PRICE);
    const share = allowance.reserve(id, {
      usd: price,
      calls: 1,
      tokens: allowance.left("tokens") === 0 ? 1 : 0,
    });
    try {
      const answer = await make();
      const tokens =
        allowance.left("tokens") === undefined ? 0 : countTokens(JSON.stringify(plainJson(answer.data)));
      share.settle({ usd: chargeOf(answer, price), tokens });
      return answer;
    } catch (error) {
      const free = error instanceof ApiError || error instanceof ResponseError;
      share.settle({ usd: free ? micros(0n) : price, tokens: 0 });
      throw error;
    }
  }

  const call = (id: string, params: object, options?: CallOptions) =>
    within(id, async () => (await client.call(id, params as never, options)) as Answer);
  const pages = (id: string, params: object, options?: CallOptions) =>
    pagesOf((at) => call(id, { ...params, ...at }, options), options?.signal);
  const own: Readonly<Record<string, unknown>> = {
    budget,
    budgetLeft: () => allowance.words(),
    call,
    pages,
    items: (id: string, params: object, options?: CallOptions) =>
      itemsOf(pages(id, params, options), options?.signal),
    search: (...args: Parameters<Client["search"]>) => within("search", () => client.search!(...args)),
    slices: (...args: Parameters<Client["slices"]>) =>
      within("datasets.slices", () => client.slices!(...args)),
    raw: (...args: Parameters<Client["raw"]>) =>
      within(`raw.${args[0]}.${String(args[1])}`, () => client.raw!(...args)),
  };
  return new Proxy(client, {
    get: (target, name) =>
      typeof name === "string" && Object.hasOwn(own, name) ? own[name] : Reflect.get(target, name, target),
    has: (target, name) => Object.hasOwn(own, name) || Reflect.has(target, name),
  }) as ToolClient & Budgeted;
}

/** What an answer says that it was charged; its price where it says nothing that can be read. */
function chargeOf({ meta }: Pick<Answer, "meta">, price: MicroUsd): MicroUsd {
  return /^\d{1,15}(\.\d{1,6})?$/.test(meta.charged_usd) ? parseUsd(meta.charged_usd) : price;
}

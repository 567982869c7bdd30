import { performance } from "node:perf_hooks";
import { z } from "zod";
import type { Answer } from "../client/answer.js";
import type { AnyParams, CallOptions, Calls, Client } from "../client/client.js";
import { itemsOf, pagesOf } from "../client/pages.js";
import { statedCharge } from "../client/stated-charge.js";
import { type ComparedAnswer, compareAnswers } from "../compare/compare-answers.js";
import { type Tolerances, TolerancesOption } from "../compare/difference.js";
import {
  type DifferenceGroup,
  type FoundDifference,
  groupDifferences,
} from "../compare/group-differences.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { ApiError, MirrorlakeError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, micros, ZERO_USD } from "../contract/money.js";
import { CallbackOption, CatalogueOption, CountOption, objectOption } from "../contract/option-schemas.js";
import { guardHook } from "../service/guard-hook.js";
import { type Forecast, type ForecastOptions, forecastOf, type RunCall } from "./forecast.js";

/** Options of {@link shadow}. */
export interface ShadowOptions extends ForecastOptions {
  /** A client of a lake: `openLake`, `createTestLake`. */
  readonly local: Client;
  /** A client of the remote service: `connect`. */
  readonly remote: Client;
  /** Whose answers the program gets; the lake's by default. */
  readonly answers?: "local" | "remote" | undefined;
  /** What may differ. */
  readonly tolerances?: Tolerances | undefined;
  /** Called with each difference as it is found. */
  readonly onDifference?: ((difference: FoundDifference) => void) | undefined;
  /** Milliseconds of a clock that measures answers; the machine's by default. */
  readonly now?: (() => number) | undefined;
}

/** What a shadow run found. */
export interface ShadowReport {
  /** Calls that both answered or refused. */
  readonly calls: number;
  /** Differences by endpoint, kind and path, most calls first. */
  readonly differences: readonly DifferenceGroup[];
  /** What the run costs on the remote, forecast from the local answers. */
  readonly forecast: Forecast;
  /** What the remote's answers say it cost, decimal USD. */
  readonly chargedUsd: string;
}

/** A client whose calls two services answer. */
export interface ShadowClient extends Client {
  /** Waits for the calls under way, then reports. */
  report(): Promise<ShadowReport>;
}

const ClientOption = objectOption<Client>(["call", "pages"], "a client: openLake, createTestLake, connect");

const OPTIONS = optionsSchema<ShadowOptions>(() => ({
  local: ClientOption,
  remote: ClientOption,
  answers: z.enum(["local", "remote"]).optional(),
  tolerances: TolerancesOption.optional(),
  onDifference: CallbackOption.optional() as z.ZodType<ShadowOptions["onDifference"]>,
  now: CallbackOption.optional() as z.ZodType<ShadowOptions["now"]>,
  freeCalls: CountOption.optional(),
  catalogue: CatalogueOption.optional(),
}));

/**
 * Makes a client that answers from one service, asks the other the same afterwards, and compares: structure, values, order, errors,
 * price, and where asked for time. What the other does never reaches the program, nor what `onDifference` throws, which is a warning of
 * the process, `hook_failed`. Closing it closes neither client.
 * @throws UsageError `invalid_options`
 */
export function shadow(options: ShadowOptions): ShadowClient {
  checkOptions(OPTIONS, options, "shadow");
  const { local, remote, answers = "local", tolerances, now = () => performance.now() } = options;
  const onDifference = guardHook("onDifference", options.onDifference);
  const found: FoundDifference[] = [];
  const run: RunCall[] = [];
  const pending = new Set<Promise<void>>();
  let charged: MicroUsd = micros(0n);
  let calls = 0;

  const ask = async (client: Client, id: string, params: AnyParams, callOptions?: CallOptions) => {
    const started = now();
    try {
      const answer: Answer = await client.call(id, params, callOptions);
      const { request_id, data, meta } = answer;
      return { answer, compared: { status: 200, body: { request_id, data, meta }, ms: now() - started } };
    } catch (error) {
      return { error, compared: failed(error, now() - started) };
    }
  };

  const both = async (id: string, params: AnyParams, callOptions?: CallOptions): Promise<Answer> => {
    const first = await ask(answers === "local" ? local : remote, id, params, callOptions);
    const following = ask(answers === "local" ? remote : local, id, params, callOptions).then((second) => {
      const [own, other] = answers === "local" ? [first, second] : [second, first];
      note(id, own.compared, other.compared);
    });
    pending.add(following);
    void following.finally(() => pending.delete(following));
    if (first.answer === undefined) throw first.error;
    return first.answer;
  };

  const note = (endpoint: string, own: ComparedAnswer, other: ComparedAnswer) => {
    calls += 1;
    run.push({ endpoint, billable: own.status === 200 && metaOf(own)?.empty === false });
    if (other.status === 200) {
      const price = remote.catalogue.find((row) => row.id === endpoint)?.price ?? ZERO_USD;
      charged = micros(charged + statedCharge({ status: 200, headers: {}, body: other.body }, price).charged);
    }
    for (const difference of compareAnswers(own, other, tolerances)) {
      const named = { ...difference, endpoint };
      found.push(named);
      onDifference?.(named);
    }
  };

  const settle = async () => {
    while (pending.size > 0) await Promise.all(pending);
  };
  const pages: Calls["pages"] = (id, params, callOptions) =>
    pagesOf((at) => both(id, { ...params, ...at }, callOptions), callOptions?.signal) as never;
  return {
    catalogue: (answers === "local" ? local : remote).catalogue,
    search: ((params, callOptions) => both("search", params as AnyParams, callOptions)) as Calls["search"],
    raw: ((platform, resource, params, callOptions) =>
      both(`raw.${platform}.${resource}`, params as AnyParams, callOptions)) as Calls["raw"],
    slices: ((params = {}, callOptions) => both("datasets.slices", params, callOptions)) as Calls["slices"],
    call: ((id, params, callOptions) => both(id, params as AnyParams, callOptions)) as Calls["call"],
    pages,
    items: ((id, params, callOptions) =>
      itemsOf(pages(id, params, callOptions) as never, callOptions?.signal)) as Calls["items"],
    get spentUsd() {
      return (answers === "local" ? local : remote).spentUsd;
    },
    report: async () => {
      await settle();
      const { freeCalls, catalogue } = options;
      const forecast = forecastOf(run, { freeCalls, catalogue });
      return { calls, differences: groupDifferences(found), forecast, chargedUsd: formatUsd(charged) };
    },
    close: settle,
    [Symbol.asyncDispose]: settle,
  };
}

function failed(error: unknown, ms: number): ComparedAnswer {
  if (error instanceof ApiError) return { status: error.status, body: { error: { code: error.code } }, ms };
  if (error instanceof MirrorlakeError) {
    const status = typeof error.value === "number" ? error.value : 0;
    return { status, body: { error: { code: error.code } }, ms };
  }
  return { status: 0, body: String(error), ms };
}

function metaOf({ body }: ComparedAnswer): { empty?: boolean; charged_usd?: string } | undefined {
  return (body as { meta?: object } | null)?.meta;
}

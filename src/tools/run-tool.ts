import type { Answer } from "../client/answer.js";
import { ApiError, asSentence, MirrorlakeError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, micros, parseUsd } from "../contract/money.js";
import { counted } from "../contract/quantity.js";
import { ruleText } from "../contract/rule-text.js";
import type { Envelope } from "../contract/service/envelope.js";
import { withinTime } from "../network/within-time.js";
import type { Cost, Draft, ToolAnswer, ToolFailure } from "./answer.js";
import { fitAnswer } from "./fit-answer.js";
import { plainJson } from "./plain-json.js";
import { checkExecute, type ExecuteOptions, type ToolClient, type ToolSpec } from "./tool.js";

/** Limits of the calls of a tool set. */
export interface ToolLimits {
  readonly tokens: number;
  readonly deadlineMs: number;
}

/** The time of a call is over. */
class DeadlineOver extends Error {}

/**
 * Runs a tool: checks its input, keeps its deadline, adds up its cost, and turns what a model can repair into an answer.
 * @throws UsageError `invalid_options`; the signal's reason if cancelled; errors that are no model's to repair
 */
export async function runTool(
  spec: ToolSpec,
  client: ToolClient,
  input: unknown,
  options: ExecuteOptions,
  limits: ToolLimits,
): Promise<ToolAnswer> {
  checkExecute(options);
  const { signal, onProgress, tokens = Number.POSITIVE_INFINITY } = options;
  signal?.throwIfAborted();
  const budget = Math.min(tokens, limits.tokens);
  const bill = new Bill(client);
  const finish = (draft: Draft) => fitAnswer(draft, budget, bill.cost());
  const parsed = spec.input.safeParse(withoutNulls(input ?? {}), { jitless: true });
  if (!parsed.success) return finish(wrongInput(spec, ruleText(parsed.error.issues)));
  let soFar: Draft | undefined;
  let steps = 0;
  try {
    const expired = () => new DeadlineOver();
    return await withinTime({ timeoutMs: limits.deadlineMs, signal, expired }, async (limited) => {
      const draft = await untilAborted(
        limited,
        spec.run(parsed.data, {
          client,
          catalogue: client.catalogue,
          signal: limited,
          tokens: budget,
          call: async (endpoint, params) => {
            const answer = await client.call(endpoint, params as never, { signal: limited });
            bill.add(answer);
            onProgress?.(++steps, endpoint);
            return answer as Answer;
          },
          report: (done, message, draftSoFar) => {
            soFar = draftSoFar ?? soFar;
            onProgress?.(done, message);
          },
        }),
      );
      soFar = undefined; // what cannot be fitted in time is not tried again
      return fitAnswer(draft, budget, bill.cost(), limited);
    });
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (error instanceof DeadlineOver) return await finish(outOfTime(limits.deadlineMs, soFar));
    const draft = repairable(error);
    if (draft === undefined) throw error;
    return finish(draft);
  }
}

/** An input without its members that are null: some models write that for a parameter that they leave out. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** Adds up what the calls of a tool cost. */
class Bill {
  private charged = 0n;
  private meta: Envelope["meta"] | undefined;

  constructor(private readonly client: ToolClient) {}

  add({ meta }: Pick<Answer, "meta">): void {
    this.charged += BigInt(safeUsd(meta.charged_usd));
    this.meta = meta;
  }

  cost(): Cost {
    const chargedUsd = formatUsd(micros(this.charged));
    const { meta } = this;
    const left = this.client.budgetLeft?.();
    const words =
      meta === undefined
        ? left
        : [
            `Charged ${chargedUsd} USD, ${counted(meta.free_quota_remaining, "free call")} left, balance ${meta.balance_usd} USD.`,
            ...(left === undefined ? [] : [left]),
          ].join(" ");
    return { chargedUsd, words };
  }
}

/** An amount of an answer, zero where a remote states none. */
function safeUsd(amount: unknown): MicroUsd {
  return typeof amount === "string" && /^\d{1,15}(\.\d{1,6})?$/.test(amount) ? parseUsd(amount) : micros(0n);
}

/** Rejects when the signal is aborted, even if the work does not heed it. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function wrongInput(spec: ToolSpec, rules: string): Draft {
  const names = Object.keys(spec.input.shape).join(", ");
  return {
    what: `The input of ${spec.name} is wrong: ${asSentence(rules)} Its parameters are ${names}. Nothing was called.`,
    rows: [],
    isError: true,
    failure: { code: "invalid_params", message: rules },
  };
}

function outOfTime(deadlineMs: number, soFar: Draft | undefined): Draft {
  const late = `The time of this call, ${deadlineMs / 1000} s, is over`;
  if (soFar === undefined)
    return {
      what: `${late} and there was no answer yet. Ask for less, or call again later.`,
      rows: [],
      isError: true,
    };
  return { ...soFar, notes: [...(soFar.notes ?? []), `${late}: this is what there was by then.`] };
}

/** An answer for an error that a model can repair or report. The message may quote records, so it stands inside the mark. */
function repairable(error: unknown): Draft | undefined {
  if (error instanceof ApiError) {
    const { code, message, status, hint, retryAfterS } = error;
    const wait =
      retryAfterS === undefined ? [] : [`Wait ${counted(retryAfterS, "second")}, then call again.`];
    return failed({ code, message }, { error: code, status, message, hint }, wait);
  }
  if (error instanceof MirrorlakeError) {
    const { code, message, remedy } = error;
    return failed({ code, message, remedy }, { error: code, message, remedy }, []);
  }
  return undefined;
}

function failed(
  failure: ToolFailure,
  said: Readonly<Record<string, unknown>>,
  notes: readonly string[],
): Draft {
  return {
    what: `The call failed: ${failure.code}.`,
    rows: [{ value: plainJson(said), cite: undefined }],
    notes,
    isError: true,
    failure,
  };
}

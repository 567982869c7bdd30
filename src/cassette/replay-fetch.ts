import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CassetteError } from "../contract/errors.js";
import { CallbackOption, ClockOption, PathOption } from "../contract/option-schemas.js";
import { type CanonicalRequest, canonicalRequest, requestKey, shownRequest } from "./canonical-request.js";
import type { CassetteRequest } from "./cassette-line.js";
import { nearestRequests } from "./nearest-requests.js";
import { type Cassette, readCassette } from "./read-cassette.js";
import { type FetchFunction, redactedRequest } from "./record-fetch.js";
import type { RecordedCall, RecordedResponse } from "./recorded-call.js";
import { RedactOption, type RedactOptions, Redactor } from "./redact.js";
import { withoutStatedDefaults } from "./stated-defaults.js";

/** Options of {@link replayFetch}. */
export interface ReplayOptions {
  readonly cassette: string;
  /** Answers what was not recorded, such as `lake.fetch`; without it a miss is an error. */
  readonly otherwise?: FetchFunction | undefined;
  /**
   * What is done with a recording that is older than its cassette allows: `refuse` (default) is an error, `serve` answers it,
   * `miss` treats it as not recorded.
   */
  readonly expired?: "refuse" | "serve" | "miss" | undefined;
  /** What was taken out beside keys when it was recorded, so that requests compare. */
  readonly redact?: RedactOptions | undefined;
  readonly clock?: Clock | undefined;
}

/** A `fetch` that answers from a cassette. */
export interface ReplayingFetch extends FetchFunction {
  /** Recorded requests that were not asked yet. */
  readonly unused: readonly CassetteRequest[];
}

const OPTIONS = optionsSchema<ReplayOptions>(() => ({
  cassette: PathOption,
  otherwise: CallbackOption.optional() as z.ZodType<FetchFunction | undefined>,
  expired: z.enum(["refuse", "serve", "miss"]).optional(),
  redact: RedactOption.optional(),
  clock: ClockOption.optional(),
}));

/**
 * Makes a `fetch` that answers recorded requests, in the order in which equal ones were recorded; the last one repeats. A parameter
 * with the default that service.md states, such as `limit: 20` of a search, may be written out or not. A request that was not recorded
 * goes to `otherwise`, or is an error that names the nearest recorded ones and what differs.
 * @throws UsageError `invalid_options`; CassetteError `cassette_unreadable`; from the function `replay_miss`, `cassette_expired`
 */
export async function replayFetch(options: ReplayOptions): Promise<ReplayingFetch> {
  checkOptions(OPTIONS, options, "replayFetch");
  const cassette = await readCassette(options.cassette);
  const replay = new Replay(cassette, options);
  const redactor = new Redactor(options.redact);
  const answer: FetchFunction = async (input, init) => {
    const request = new Request(input, init);
    // As when it was recorded: a key may stand in a query or a body, too.
    redactor.learnKeysOf(request);
    const body = request.body === null ? undefined : await request.clone().text();
    const asked = redactedRequest(
      canonicalRequest({ method: request.method, url: request.url, body }),
      redactor,
    );
    const recorded = replay.answer(asked);
    if (recorded !== undefined) return recorded.toResponse();
    if (options.otherwise !== undefined) return options.otherwise(request);
    throw missOf(asked, cassette, options.cassette);
  };
  return Object.defineProperty(answer, "unused", { get: () => replay.unused() }) as ReplayingFetch;
}

/** Equal requests with their answers. */
interface Recorded {
  readonly calls: RecordedCall[];
  /** How many were replayed. */
  asked: number;
}

class Replay {
  private readonly byRequest = new Map<string, Recorded>();
  /** The first of the requests that differ in defaults alone. */
  private readonly byCall = new Map<string, Recorded>();

  constructor(
    private readonly cassette: Cassette,
    private readonly options: ReplayOptions,
  ) {
    for (const call of cassette.calls) {
      const key = requestKey(call.request);
      const known = this.byRequest.get(key);
      if (known !== undefined) {
        known.calls.push(call);
        continue;
      }
      const recorded: Recorded = { calls: [call], asked: 0 };
      this.byRequest.set(key, recorded);
      const short = requestKey(withoutStatedDefaults(call.request));
      if (!this.byCall.has(short)) this.byCall.set(short, recorded);
    }
  }

  /** The next recorded answer; undefined if there is none. @throws CassetteError `cassette_expired` */
  answer(asked: CanonicalRequest): RecordedResponse | undefined {
    const found =
      this.byRequest.get(requestKey(asked)) ?? this.byCall.get(requestKey(withoutStatedDefaults(asked)));
    if (found === undefined) return undefined;
    const call = found.calls[Math.min(found.asked, found.calls.length - 1)]!;
    if (this.isExpired(call)) {
      if (this.options.expired === "miss") return undefined;
      if (this.options.expired !== "serve") throw expired(call, this.options.cassette);
    }
    found.asked += 1;
    return call.response;
  }

  unused(): CassetteRequest[] {
    return [...this.byRequest.values()]
      .filter(({ asked }) => asked === 0)
      .map(({ calls }) => shownRequest(calls[0]!.request));
  }

  private isExpired({ at }: RecordedCall): boolean {
    const { max_age_ms: most } = this.cassette.header;
    const { clock = systemClock } = this.options;
    return most !== undefined && clock.now() - Date.parse(at) > most;
  }
}

function missOf(asked: CanonicalRequest, cassette: Cassette, path: string): CassetteError {
  const shown = shownRequest(asked);
  const near = nearestRequests(
    shown,
    cassette.calls.map(({ request }) => shownRequest(request)),
  );
  const lines = near.map(({ request, differences }) => {
    const what = differences.length === 0 ? "the same" : differences.join("; ");
    return `${request.method} ${request.path} (${what})`;
  });
  const nearest = lines.length === 0 ? "nothing was recorded" : `nearest: ${lines.join(" | ")}`;
  return new CassetteError("replay_miss", `${asked.method} ${asked.path} was not recorded; ${nearest}`, {
    value: { asked: shown, nearest: near },
    remedy: `Record it into ${path}, or give a lake that answers what was not recorded.`,
  });
}

function expired({ at, request }: RecordedCall, path: string): CassetteError {
  return new CassetteError(
    "cassette_expired",
    `${request.method} ${request.path} was recorded at ${at}, too long ago`,
    {
      value: at,
      remedy: `Record ${path} again, or serve expired recordings: expired: "serve".`,
    },
  );
}

import type { Principal } from "../account/account.js";
import type { Clock } from "../clock.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Ranks } from "../search/fusion.js";
import type { SearchIndex } from "../search/search-index.js";
import type { Corpus } from "../store/corpus.js";
import type { AccountAccess } from "./account/access.js";
import type { CallTrace } from "./call-trace.js";

/** Context of a handler for one call. */
export interface HandlerContext {
  readonly corpus: Corpus;
  readonly index: SearchIndex;
  /** The account of the caller. */
  readonly account: AccountAccess;
  readonly principal: Principal;
  readonly clock: Clock;
  /** Reference time of freshness, milliseconds since the Unix epoch (decisions.md, "Time"). */
  readonly asOfMs: number;
  /** The same for windows of raw items, which may be newer than every record. */
  readonly rawAsOfMs: () => Promise<number>;
  /** Every row of the service's catalogue. */
  readonly catalogue: readonly EndpointSpec[];
  /** The catalogue row of the called endpoint. */
  readonly endpoint: EndpointSpec;
  readonly requestId: string;
  /** Digest of the parameters of a call whose caller sent its id: with key, endpoint and id it tells a repetition. */
  readonly digest?: string | undefined;
  /** Whether the caller will look at a field of the records; true unless it said otherwise. */
  readonly wants: (field: string) => boolean;
  readonly signal?: AbortSignal;
  /** Where the handler marks the stages that it ends. */
  readonly trace?: CallTrace | undefined;
}

/** Result of a handler. An empty result is not charged (service.md section 8). */
export interface HandlerResult {
  readonly data: unknown;
  readonly empty: boolean;
  /** Local additions, named `X-Mirrorlake-*` (decisions.md, "Vectors"). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Which ranking found each record of a search; for callers in process only. */
  readonly ranks?: readonly Ranks[];
}

/** Answers calls of an operation. `Params` is the output of the row's parameter schema. */
export type Handler<Params = never> = (params: Params, context: HandlerContext) => Promise<HandlerResult>;

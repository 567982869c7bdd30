import { UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, parseUsd } from "../contract/money.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type {
  EndpointData,
  EndpointId,
  EndpointParams,
  RawEndpointId,
  RawPlatform,
  RawResource,
} from "../contract/service/catalogue.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { UNSTATED_RAW_PRICE } from "../contract/service/endpoint.js";
import type { SearchFormat, SearchParams, SearchRecord } from "../contract/service/search-record.js";
import { type Answer, type TransportResponse, toAnswer } from "./answer.js";
import type { Budget } from "./budget.js";
import { fillPath } from "./fill-path.js";
import type { OpenCalls } from "./open-calls.js";
import { type ItemOf, itemsOf, pagesOf } from "./pages.js";

/** What may be said about one call beside its parameters. */
export interface CallOptions {
  /** Gives the call up; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The values of the parameters are text, as in a URL or on a command line: `"20"` is 20 where a number is taken. */
  readonly textual?: boolean;
}

/** The part of a catalogue row that a transport needs. */
export type Target = Pick<EndpointSpec, "id" | "method" | "path" | "price">;

/** Carries a call to the service and its response back: in process, or over a network. */
export interface Transport {
  send(
    target: Target,
    params: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<TransportResponse>;
}

/** Any JSON-like parameters, of an endpoint that this version's catalogue does not know. */
export type AnyParams = Readonly<Record<string, unknown>>;

/** An id of the shipped catalogue, or any other of an extended one. */
export type AnyEndpointId = EndpointId | (string & {});

/** Parameters of an endpoint: typed where the shipped catalogue knows it. */
export type ParamsOf<Id extends string> = Id extends EndpointId ? EndpointParams<Id> : AnyParams;

/** `data` of an endpoint: typed where the shipped catalogue knows it. */
export type DataOf<Id extends string> = Id extends EndpointId ? EndpointData<Id> : unknown;

/**
 * The typed calls of the service. Every call resolves to the envelope with its headers, or rejects with an {@link ApiError} to branch on by `code`.
 */
export interface Calls {
  /** Cross-domain search (service.md section 4.1). `src` of a record tells its fields, the format whether `vec` is there. */
  search<F extends SearchFormat = "vectors+provenance">(
    params: SearchParams<F>,
    options?: CallOptions,
  ): Promise<Answer<SearchRecord<F>[]>>;
  /**
   * A platform-native structure (service.md section 4.2) of the shipped catalogue. What only an extended catalogue has is
   * called by its id: `call("raw.<platform>.<resource>", params)`.
   */
  raw<P extends RawPlatform, R extends RawResource<P>>(
    platform: P,
    resource: R,
    params: ParamsOf<RawEndpointId<P, R>>,
    options?: CallOptions,
  ): Promise<Answer<DataOf<RawEndpointId<P, R>>>>;
  /** Manifests of dataset slices (service.md section 4.3). */
  slices(
    params?: EndpointParams<"datasets.slices">,
    options?: CallOptions,
  ): Promise<Answer<EndpointData<"datasets.slices">>>;
  /**
   * Any endpoint by its id in the catalogue.
   * @throws UsageError `unknown_endpoint` for an id that the client's catalogue does not have; what the id of a raw endpoint
   * names is asked for all the same, since the service decides
   */
  call<Id extends AnyEndpointId>(
    id: Id,
    params: ParamsOf<Id>,
    options?: CallOptions,
  ): Promise<Answer<DataOf<Id>>>;
  /** The pages of a list, following `cursor` until `has_more` is false. Every page is a call. */
  pages<Id extends AnyEndpointId>(
    id: Id,
    params: ParamsOf<Id>,
    options?: CallOptions,
  ): AsyncIterable<Answer<DataOf<Id>>>;
  /** The items of a list over all its pages, without those whose `cid` came before (service.md section 4.2.2). */
  items<Id extends AnyEndpointId>(
    id: Id,
    params: ParamsOf<Id>,
    options?: CallOptions,
  ): AsyncIterable<ItemOf<DataOf<Id>>>;
}

/**
 * The client of a service, the same in process ({@link openLake}) and over a network ({@link connect}): a program that changes
 * from one to the other changes that line alone.
 */
export interface Client extends Calls {
  /** USD spent through this client so far, 6 decimals; calls over a network that got no answer count at their price. */
  readonly spentUsd: string;
  /**
   * Waits for the calls that are under way; every call from then on fails with `lake_closed` (LakeError) or, over a network,
   * `client_closed` (ConnectionError). Closing again waits for the same.
   */
  close(): Promise<void>;
  /** Closes the client: `await using client = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a {@link createClient} is made of. */
export interface ClientParts {
  readonly transport: Transport;
  /** What the transport spends from. */
  readonly budget: Budget;
  readonly calls: OpenCalls;
  /** Lets go of what the client holds, once no call is under way. */
  readonly end: () => Promise<void>;
}

/** Builds a client that can be closed. */
export function createClient(
  catalogue: readonly EndpointSpec[],
  { transport, budget, calls, end }: ClientParts,
): Client {
  const close = () => calls.close(end);
  return {
    ...createCalls(catalogue, { send: (...call) => calls.run(() => transport.send(...call)) }),
    get spentUsd() {
      return formatUsd(budget.spent);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Builds the typed calls over a transport. */
export function createCalls(catalogue: readonly EndpointSpec[], transport: Transport): Calls {
  const byId = new Map(catalogue.map((endpoint) => [endpoint.id, endpoint]));
  const rawByName = new Map(
    catalogue
      .filter(({ platform }) => platform !== undefined)
      .map((row) => [`${row.platform}/${row.resource}`, row]),
  );

  async function send<Data>(
    target: Target,
    params: object,
    options: CallOptions = {},
  ): Promise<Answer<Data>> {
    const filled = fillPath(target.path, params as AnyParams);
    return toAnswer<Data>(await transport.send({ ...target, path: filled.path }, filled.params, options));
  }

  const call = <Id extends AnyEndpointId>(id: Id, params: ParamsOf<Id>, options?: CallOptions) =>
    send<DataOf<Id>>(targetOf(byId, id), params, options);

  const pages = <Id extends AnyEndpointId>(id: Id, params: ParamsOf<Id>, options?: CallOptions) =>
    pagesOf((at) => call(id, { ...params, ...at }, options), options?.signal);

  return {
    search: <F extends SearchFormat>(params: SearchParams<F>, options?: CallOptions) =>
      send<SearchRecord<F>[]>(targetOf(byId, "search"), params, options),
    slices: (params = {}, options) => call("datasets.slices", params, options),
    raw: (platform, resource, params, options) =>
      send(rawByName.get(`${platform}/${resource}`) ?? unlistedRaw(platform, resource), params, options),
    call: async (id, params, options) => call(id, params, options),
    pages,
    items: (id, params, options) => itemsOf(pages(id, params, options), options?.signal),
  };
}

function targetOf(byId: ReadonlyMap<string, Target>, id: string): Target {
  const target = byId.get(id);
  if (target !== undefined) return target;
  const [, platform, resource] = /^raw\.([^.]+)\.(.+)$/.exec(id) ?? [];
  if (platform !== undefined && resource !== undefined) return unlistedRaw(platform, resource);
  const meant = nearestName(id, byId.keys());
  throw new UsageError(
    "unknown_endpoint",
    `The catalogue has no endpoint ${JSON.stringify(id)}${didYouMean(meant)}`,
    {
      value: id,
      remedy: "Use an id of the catalogue, such as search or raw.short-video.video, or extend the catalogue.",
    },
  );
}

/** A raw resource that this client's catalogue does not list is asked for all the same: the service decides. */
function unlistedRaw(platform: string, resource: string): Target {
  const path = `/v1/raw/${encodeURIComponent(platform)}/${encodeURIComponent(resource)}`;
  return { id: `raw.${platform}.${resource}`, method: "GET", path, price: UNLISTED_PRICE };
}

const UNLISTED_PRICE: MicroUsd = parseUsd(UNSTATED_RAW_PRICE);

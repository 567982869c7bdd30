import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, parseUsd } from "../contract/money.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import { FlagOption, SignalOption } from "../contract/option-schemas.js";
import { ownParams } from "../contract/own-copy.js";
import {
  type CatalogueSource,
  currentCatalogue,
  madeOfCatalogue,
} from "../contract/service/catalogue/catalogue-source.js";
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
import { FIELD_NAME, type Selected, type Selection, selector } from "../contract/service/selection.js";
import { type Answer, type TransportResponse, toAnswer } from "./answer.js";
import type { Budget } from "./budget.js";
import { fillPath } from "./fill-path.js";
import type { OpenCalls } from "./open-calls.js";
import { type HasPages, type ItemOf, itemsOf, pagesOf } from "./pages.js";

/** Options of one call. */
export interface CallOptions extends Selection {
  /** Aborts the call; its promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Parses parameter values from text, as in a URL or on a command line: `"20"` becomes 20 for a number. */
  readonly textual?: boolean;
}

const EndpointIdArgument = z.string();
const FieldNames = z.array(
  z.string().regex(FIELD_NAME, "must be the name of a field, such as vec or prov.hash"),
);
const CALL_OPTIONS = optionsSchema<CallOptions>(() => ({
  omit: FieldNames.optional(),
  fields: FieldNames.min(1).optional(),
  signal: SignalOption.optional(),
  textual: FlagOption.optional(),
}));

/** The fields of a catalogue row that a transport needs. */
export type Target = Pick<EndpointSpec, "id" | "method" | "path" | "price"> & {
  /** Of the parameters; absent for an endpoint that the client's catalogue does not have. */
  readonly params?: EndpointSpec["params"];
  /** Of the answer's `data`; absent where `params` is. */
  readonly data?: EndpointSpec["data"];
};

/** Options of a call, and what its client adds. */
export interface SendOptions extends CallOptions {
  /** Id of the call, the same in all of its attempts. */
  readonly callId?: string | undefined;
}

/** Sends a call to the service and returns its response, in process or over a network. */
export interface Transport {
  send(
    target: Target,
    params: Readonly<Record<string, unknown>>,
    options: SendOptions,
  ): Promise<TransportResponse>;
}

/** Parameters of an endpoint that is not in the shipped catalogue. */
export type AnyParams = Readonly<Record<string, unknown>>;

/** An endpoint id of the shipped catalogue or of an extended one. */
export type AnyEndpointId = EndpointId | (string & {});

/** Parameters of an endpoint, typed if it is in the shipped catalogue. */
export type ParamsOf<Id extends string> = Id extends EndpointId ? EndpointParams<Id> : AnyParams;

/** `data` of an endpoint, typed if it is in the shipped catalogue. */
export type DataOf<Id extends string> = Id extends EndpointId ? EndpointData<Id> : unknown;

/**
 * The typed calls of the service. Every call resolves to the envelope, or rejects with an {@link ApiError}; branch on its `code`.
 * A call takes over its parameters and options, with their lists, before it returns: one object may be changed and used for the next call.
 */
export interface Calls {
  /** Searches all domains (service.md section 4.1). A record's fields depend on its `src`; `vec` depends on the format. */
  search<F extends SearchFormat = "vectors+provenance", const O extends CallOptions = CallOptions>(
    params: SearchParams<F>,
    options?: O,
  ): Promise<Answer<Selected<SearchRecord<F>[], O>>>;
  /**
   * Gets a platform-native structure (service.md section 4.2) of the shipped catalogue. For endpoints of an extended
   * catalogue use `call("raw.<platform>.<resource>", params)`.
   */
  raw<P extends RawPlatform, R extends RawResource<P>, const O extends CallOptions = CallOptions>(
    platform: P,
    resource: R,
    params: ParamsOf<RawEndpointId<P, R>>,
    options?: O,
  ): Promise<Answer<Selected<DataOf<RawEndpointId<P, R>>, O>>>;
  /** Lists the manifests of dataset slices (service.md section 4.3). */
  slices<const O extends CallOptions = CallOptions>(
    params?: EndpointParams<"datasets.slices">,
    options?: O,
  ): Promise<Answer<Selected<EndpointData<"datasets.slices">, O>>>;
  /**
   * Calls any endpoint by its catalogue id.
   * @throws UsageError `unknown_endpoint` for an id that is not in the client's catalogue; unknown raw endpoints are sent
   * to the service, which decides; `invalid_argument` for what is no text
   */
  call<Id extends AnyEndpointId, const O extends CallOptions = CallOptions>(
    id: Id,
    params: ParamsOf<Id>,
    options?: O,
  ): Promise<Answer<Selected<DataOf<Id>, O>>>;
  /**
   * Iterates over the pages of a list, following `cursor` until `has_more` is false. Every page is a call.
   * @throws UsageError `not_a_page` for an endpoint that is no list, before it is called
   */
  pages<Id extends AnyEndpointId, const O extends CallOptions = CallOptions>(
    id: Id & HasPages<Id>,
    params: ParamsOf<Id>,
    options?: O,
  ): AsyncIterable<Answer<Selected<DataOf<Id>, O>>>;
  /** Iterates over the items of all pages of a list, without repeated `cid`s (service.md section 4.2.2). */
  items<Id extends AnyEndpointId, const O extends CallOptions = CallOptions>(
    id: Id & HasPages<Id>,
    params: ParamsOf<Id>,
    options?: O,
  ): AsyncIterable<ItemOf<Selected<DataOf<Id>, O>>>;
}

/**
 * A client of the service, with the same interface in process ({@link openLake}) and over a network ({@link connect}).
 */
export interface Client extends Calls {
  /**
   * The endpoints of this client: the shipped catalogue, or an extended one; of a lake, with those of the platforms that its slices
   * bring, of the moment.
   */
  readonly catalogue: readonly EndpointSpec[];
  /** USD spent by this client so far, 6 decimals. Network calls without an answer count with their full price. */
  readonly spentUsd: string;
  /**
   * Closes the client and waits for running calls. New calls fail with LakeError `lake_closed` or, over a network,
   * ConnectionError `client_closed`. A repeated call waits for the same close.
   */
  close(): Promise<void>;
  /** Closes the client: `await using client = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Dependencies of {@link createClient}. */
export interface ClientParts {
  readonly transport: Transport;
  /** Budget of the transport. */
  readonly budget: Budget;
  /** Tracks running calls. */
  readonly calls: OpenCalls;
  /** Releases the client's resources after the last call. */
  readonly end: () => Promise<void>;
}

/** Creates a client that can be closed. */
export function createClient(
  catalogue: CatalogueSource,
  { transport, budget, calls, end }: ClientParts,
): Client {
  const close = () => calls.close(end);
  return {
    ...createCalls(catalogue, { send: (...call) => calls.run(() => transport.send(...call)) }),
    get catalogue() {
      return currentCatalogue(catalogue);
    },
    get spentUsd() {
      return formatUsd(budget.spent);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates the typed calls over a transport. */
export function createCalls(catalogue: CatalogueSource, transport: Transport): Calls {
  const targets = madeOfCatalogue(catalogue, (rows) => new Map(rows.map((row) => [row.id, row])));
  const rawTargets = madeOfCatalogue(
    catalogue,
    (rows) =>
      new Map(
        rows
          .filter(({ platform }) => platform !== undefined)
          .map((row) => [`${row.platform}/${row.resource}`, row]),
      ),
  );

  /** Takes over what it was given before it waits, so that a caller may use one object for several calls. */
  async function send<Data>(target: Target, given: object, wanted?: CallOptions): Promise<Answer<Data>> {
    if (wanted !== undefined) checkOptions(CALL_OPTIONS, wanted, target.id);
    const [params, options] = [ownParams(given), ownParams(wanted ?? {})];
    const checks = selects(options) ? await targetChecks() : undefined;
    checks?.checkSelection(target, options);
    const filled = fillPath(target.path, params as AnyParams);
    const response = await transport.send({ ...target, path: filled.path }, filled.params, options);
    try {
      return toAnswer<Data>(checks?.selectFields(response, target, options) ?? response);
    } catch (error) {
      const { withPlaceHint } = await import("./misplaced-option.js");
      throw withPlaceHint(error, params);
    }
  }

  const call = <Data>(id: string, params: AnyParams, options?: CallOptions) =>
    send<Data>(targetOf(targets(), id), params, options);

  const pages = <Data>(id: string, params: AnyParams, options?: CallOptions) =>
    pagesFrom<Data>(id, ownParams(params), ownParams(options));
  const items = (id: string, params: AnyParams, options?: CallOptions) =>
    itemsFrom(id, ownParams(params), ownParams(options));

  async function* pagesFrom<Data>(id: string, params: AnyParams, options: CallOptions = {}) {
    checkOptions(CALL_OPTIONS, options, id);
    (await targetChecks()).refuseSingle(targetOf(targets(), id));
    yield* pagesOf((at) => call<Data>(id, { ...params, ...at }, options), options.signal);
  }

  /** Items are told apart by their `cid`, so fields are left out after that. */
  async function* itemsFrom(id: string, params: AnyParams, { omit, fields, ...options }: CallOptions = {}) {
    checkOptions(CALL_OPTIONS, { omit, fields, ...options }, id);
    const target = targetOf(targets(), id);
    const checks = selects({ omit, fields }) ? await targetChecks() : undefined;
    checks?.checkSelection(target, { omit, fields });
    const select = selector({ omit, fields });
    let isFirst = true;
    for await (const item of itemsOf(pagesFrom<unknown>(id, params, options), options.signal)) {
      if (isFirst) checks?.refuseNothing(target, [item], { fields });
      isFirst = false;
      yield select(item);
    }
  }

  return {
    search: (params: object, options?: CallOptions) => send(targetOf(targets(), "search"), params, options),
    slices: (params = {}, options?: CallOptions) => call("datasets.slices", params, options),
    raw: (platform: string, resource: string, params: AnyParams, options?: CallOptions) =>
      send(rawTargets().get(`${platform}/${resource}`) ?? unlistedRaw(platform, resource), params, options),
    call: async (id: string, params: AnyParams, options?: CallOptions) => call(id, params, options),
    pages,
    items,
  } as Calls;
}

/** What only calls that select fields or read pages need. */
const targetChecks = () => import("./check-selection.js");

/** Whether options say which fields are wanted. */
function selects({ fields, omit }: Selection): boolean {
  return fields !== undefined || omit !== undefined;
}

function targetOf(byId: ReadonlyMap<string, Target>, id: string): Target {
  const target = byId.get(id);
  if (target !== undefined) return target;
  checkArgument(EndpointIdArgument, id, "id", "call");
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

/** Target of a raw resource that is not in this client's catalogue; the service decides whether it exists. */
function unlistedRaw(platform: string, resource: string): Target {
  const path = `/v1/raw/${encodeURIComponent(platform)}/${encodeURIComponent(resource)}`;
  return { id: `raw.${platform}.${resource}`, method: "GET", path, price: UNLISTED_PRICE };
}

const UNLISTED_PRICE: MicroUsd = parseUsd(UNSTATED_RAW_PRICE);

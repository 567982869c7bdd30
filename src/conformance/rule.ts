import type { Account } from "../account/account.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Label } from "../contract/service/label.js";
import type { VirtualClock } from "../virtual-clock.js";

/** The outcome of one call, in the same form for every transport. */
export interface Outcome {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; the text if it is not JSON. */
  readonly body: unknown;
}

/** A request as bytes on a wire, for rules about methods, headers and text. */
export interface WireRequest {
  readonly method: string;
  /** Path with query, `/v1` included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The ways to call the service under test. */
export interface Entrance {
  /** Calls an endpoint as the transport's caller would: typed, or by a request that the endpoint's row describes. */
  call(id: string, params: Readonly<Record<string, unknown>>, apiKey?: string): Promise<Outcome>;
  /** Sends a raw request; absent if the transport has no wire. */
  send?(request: WireRequest): Promise<Outcome>;
}

/** A separate service over the sample lake for one rule, which controls its account and clock. */
export interface World extends Entrance {
  readonly clock: VirtualClock;
  readonly account: Account;
  /** A key with all scopes. */
  readonly apiKey: string;
}

/** Options of {@link Subject.world}. */
export interface WorldOptions {
  /** Opening balance, decimal USD; 100 by default. */
  readonly balanceUsd?: string;
  /** Error that every handler throws. */
  readonly fault?: Error;
  /** `off` by default: only rules about limits want them. */
  readonly limits?: "on" | "off";
}

/** Known data of the service under test. */
export interface Samples {
  /** Matches more than 20 records of every domain together, captured within 24 h before as-of. */
  readonly query: string;
  /** Matches exactly one record. */
  readonly rare: { readonly query: string; readonly recordId: string };
  /** Matches records older than 24 h and younger than 90 d, and none younger. */
  readonly oldQuery: string;
  /** A platform that has records matching `query`, and its domain. */
  readonly platform: { readonly slug: string; readonly domain: string };
  /** A video of the short-video platform with more than 50 comments, replies among them. */
  readonly itemId: string;
  /** Number of comments that paging returns for `itemId`. */
  readonly commentCount: number;
  /** A well-formed id that no video has. */
  readonly absentItemId: string;
}

/** The service under test, behind one transport. */
export interface Subject extends Entrance {
  readonly transport: string;
  readonly catalogue: readonly EndpointSpec[];
  readonly samples: Samples;
  readonly apiKey: string;
  /** Opens a separate service; absent for a remote, whose account and clock a rule cannot control. */
  world?<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T>;
}

/** Requirement of a rule: a wire, or a separate service. */
export type Need = "wire" | "world";

/** One checkable sentence of the service's description, or one of its assumed completions. */
export interface Rule {
  /** `<section>.<name>`, unique. */
  readonly id: string;
  /** Section of service.md: `"4.2.1"`. */
  readonly section: string;
  readonly label: Label;
  /** The requirement, in one line. */
  readonly says: string;
  readonly needs: readonly Need[];
  /** Throws if the rule is broken. Absent if the rule cannot be checked; `why` then gives the reason. */
  readonly run?: (subject: Subject) => Promise<void>;
  readonly why?: string;
}

type Body = (subject: Subject) => Promise<void>;

/** Rules of one section; `specified` unless said otherwise. */
export function section(number: string) {
  const make =
    (label: Label, needs: readonly Need[]) =>
    (name: string, says: string, run: Body): Rule => ({
      id: `${number}.${name}`,
      section: number,
      label,
      says,
      needs,
      run,
    });
  return {
    rule: make("specified", []),
    wire: make("specified", ["wire"]),
    world: make("specified", ["world"]),
    assumed: make("assumed", []),
    assumedWire: make("assumed", ["wire"]),
    assumedWorld: make("assumed", ["world"]),
    untestable: (name: string, says: string, why: string): Rule => ({
      id: `${number}.${name}`,
      section: number,
      label: "specified",
      says,
      needs: [],
      why,
    }),
  };
}

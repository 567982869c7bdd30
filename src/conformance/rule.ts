import type { Account } from "../account/account.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Label } from "../contract/service/label.js";
import type { VirtualClock } from "../testing/virtual-clock.js";

/** What came of one call, whichever transport it went through. */
export interface Outcome {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a value; text where it is no JSON. */
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

/** The ways into one service under test. */
export interface Entrance {
  /** Calls an endpoint as the transport's caller would: typed, or by a request that the endpoint's row describes. */
  call(id: string, params: Readonly<Record<string, unknown>>, apiKey?: string): Promise<Outcome>;
  /** Sends a request as it is; absent where the transport has no wire. */
  send?(request: WireRequest): Promise<Outcome>;
}

/** A service of a rule's own, over the sample lake: its account and its clock are under the rule's control. */
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
  /** Handlers fail with this. */
  readonly fault?: Error;
  /** `off` by default: only rules about limits want them. */
  readonly limits?: "on" | "off";
}

/** What is known to be in the service under test. */
export interface Samples {
  /** Matches more than 20 records of every domain together, captured within 24 h before as-of. */
  readonly query: string;
  /** Matches one record, its words being in no other. */
  readonly rare: { readonly query: string; readonly recordId: string };
  /** Matches records older than 24 h and younger than 90 d, and none younger. */
  readonly oldQuery: string;
  /** A platform that has records matching `query`, and its domain. */
  readonly platform: { readonly slug: string; readonly domain: string };
  /** A video of the short-video platform with more than 50 comments, replies among them. */
  readonly itemId: string;
  /** Comments that paging shows for it. */
  readonly commentCount: number;
  /** A well-formed id of no video. */
  readonly absentItemId: string;
}

/** The service under test, behind one transport. */
export interface Subject extends Entrance {
  readonly transport: string;
  readonly catalogue: readonly EndpointSpec[];
  readonly samples: Samples;
  readonly apiKey: string;
  /** A service of the rule's own; absent for a remote, whose account and clock the rule cannot control. */
  world?<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T>;
}

/** What a rule needs of a subject: a wire, or a world of its own. */
export type Need = "wire" | "world";

/** One checkable sentence of the service's description, or one of its assumed completions. */
export interface Rule {
  /** `<section>.<name>`, unique. */
  readonly id: string;
  /** Section of service.md: `"4.2.1"`. */
  readonly section: string;
  readonly label: Label;
  /** What must hold, in one line. */
  readonly says: string;
  readonly needs: readonly Need[];
  /** Throws where it does not hold. Absent where it cannot be checked; `why` then says so. */
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

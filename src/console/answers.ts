import type { z } from "zod";
import type { JsonObject } from "../contract/json.js";
import type { LedgerPage } from "../contract/service/account-shapes.js";
import type { StoredRecord } from "../contract/service/unified-record.js";

/*
 * Answers of the console's API. Types alone, so that the browser app can import them: what the server sends is what the app reads.
 */

/** Body of a failed request. */
export interface FailureAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

/** What the lake is, for the header and for forms. */
export interface LakeAnswer {
  readonly version: string;
  /** Name of its folder. */
  readonly lake: string;
  /** Tells it from other lakes, of the same name too; the same after something was installed. */
  readonly id: string;
  readonly generation: number;
  readonly writable: boolean;
  readonly records: number;
  readonly slices: number;
  /** ISO 8601; what `freshness` is measured from. */
  readonly as_of: string;
  /** Whether that is the newest capture, the clock, or an instant that `serve` was told. */
  readonly as_of_rule: "corpus" | "system" | "instant";
  /** ISO 8601; the newest capture. */
  readonly newest: string;
  /** Platforms that have records or endpoints. */
  readonly platforms: readonly PlatformAnswer[];
  /** Languages of the slices. */
  readonly languages: readonly string[];
}

/** A platform of the lake. */
export interface PlatformAnswer {
  readonly slug: string;
  readonly name: string;
  readonly domain: string;
  readonly records: number;
}

/** Which ranking found a record, and where: `rank` from 1. */
export interface RanksAnswer {
  readonly keyword?: { readonly rank: number; readonly score: number } | undefined;
  readonly semantic?: { readonly rank: number; readonly score: number } | undefined;
}

/** A record that a search found. Texts are cut; `whole` is false then. */
export interface HitAnswer {
  readonly record: StoredRecord;
  readonly whole: boolean;
  readonly ranks?: RanksAnswer | undefined;
  readonly score?: number | undefined;
}

/** Records for a query, best first; without a query the newest. */
export interface SearchAnswer {
  readonly hits: readonly HitAnswer[];
  /** Records that the filters leave. */
  readonly candidates: number;
  readonly ms: number;
  readonly mode: string;
  readonly embedder?: string | undefined;
  readonly note?: string | undefined;
  /** Price of the same call over the API, USD. */
  readonly price_usd: string;
}

/** How many records each value of a filter would leave, the other filters as they are. */
export interface FacetsAnswer {
  readonly domains: readonly CountAnswer[];
  readonly platforms: readonly CountAnswer[];
  readonly langs: readonly CountAnswer[];
}

/** A value and its number of records. */
export interface CountAnswer {
  readonly value: string;
  readonly count: number;
}

/** A row of the catalogue. */
export interface EndpointAnswer {
  readonly id: string;
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly platform?: string | undefined;
  readonly resource?: string | undefined;
  readonly operation: string;
  readonly scope: string;
  readonly price_usd: string;
  readonly cap_per_second: number;
  readonly free_eligible: boolean;
  readonly maturity: string;
  readonly availability: string;
  readonly label: string;
  readonly summary: string;
}

/** A row of the catalogue with what its form needs. */
export interface EndpointFormAnswer extends EndpointAnswer {
  /** JSON Schema of the parameters. */
  readonly params: JsonObject;
  /** Ids that the lake holds, by parameter. */
  readonly samples: Readonly<Record<string, readonly SampleAnswer[]>>;
  /** The endpoint of the replies to one of its comments. */
  readonly replies?: string | undefined;
}

/** An id of the lake that fits a parameter; others of the same call in `with`. */
export interface SampleAnswer {
  readonly value: string;
  readonly label: string;
  readonly with?: Readonly<Record<string, string>> | undefined;
}

/** The answer of a call of the service. */
export interface CallAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly empty: boolean;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly hint?: string | undefined;
  readonly ms: number;
  readonly price_usd: string;
}

/** A slice of the lake. */
export interface SliceAnswer {
  readonly root: string;
  readonly name: string;
  readonly title: string;
  readonly domain: string;
  readonly platform: string;
  readonly lang: string;
  readonly first: string;
  readonly last: string;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  readonly bytes: number;
  readonly model: string | null;
  readonly licence: string;
  readonly revision: number;
  /** Removed items that its files still hold. */
  readonly withheld: number;
}

/** A page of slices. */
export interface SlicesAnswer {
  readonly items: readonly SliceAnswer[];
  readonly total: number;
}

/** Counts of the lake, for charts. */
export interface StatisticsAnswer {
  readonly days: readonly { readonly day: string; readonly src: string; readonly count: number }[];
  readonly platforms: readonly { readonly value: string; readonly src: string; readonly count: number }[];
  readonly langs: readonly CountAnswer[];
  /** Share of the records of a domain that have a field, 0 to 1; fields without any are left out. */
  readonly fields: readonly { readonly name: string; readonly shares: Readonly<Record<string, number>> }[];
  readonly domains: readonly CountAnswer[];
}

/** Records on two axes: the first two principal components of a sample of the vectors of one model. */
export interface MapAnswer {
  readonly model: string;
  /** Records with vectors of the model. */
  readonly of: number;
  readonly explained: readonly [number, number];
  readonly points: readonly MapPoint[];
}

/** A record on the map. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
  readonly id: string;
  readonly label: string;
  readonly platform: string;
  readonly src: string;
  readonly lang: string;
}

/** A page of the tombstones, newest first. */
export interface RemovalsAnswer {
  readonly total: number;
  readonly derived: number;
  readonly items: readonly {
    readonly kind: string;
    readonly target: string;
    readonly at: string;
    readonly reason: string;
    readonly derived: boolean;
  }[];
}

/** A job: what it does and how far it is. */
export interface JobAnswer {
  readonly id: number;
  readonly kind: "pull" | "install" | "verify" | "doctor" | "parity";
  readonly title: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly step: string;
  readonly done: number;
  readonly total: number;
  readonly unit?: string | undefined;
  readonly ms: number;
  readonly result?: unknown;
  readonly error?: FailureAnswer["error"] | undefined;
}

/** A key without its secret. */
export interface KeyAnswer {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** A new key. Only this answer has the secret. */
export interface NewKeyAnswer extends KeyAnswer {
  readonly api_key: string;
}

/** The account: money, quota, rate. */
export interface AccountAnswer {
  readonly account_id: string;
  readonly balance_usd: string;
  readonly topped_up: boolean;
  readonly free_limit: number;
  readonly free_remaining: number;
  readonly rate_limit: number;
  readonly rate_remaining: number;
}

/** Calls and money of a day or of an endpoint. */
export interface UsageAnswer {
  readonly days: readonly UsageGroupAnswer[];
  readonly endpoints: readonly UsageGroupAnswer[];
}

/** Counts of a group. */
export interface UsageGroupAnswer {
  readonly name: string;
  readonly calls: number;
  readonly charged: number;
  readonly free: number;
  readonly empty: number;
  readonly errors: number;
  readonly spent_usd: string;
}

/** The newest entries of the ledger, newest first. */
export interface LedgerAnswer {
  readonly items: readonly z.output<typeof LedgerPage>["items"][number][];
}

/** The parity score of this installation: rules of each section and label. */
export interface ParityAnswer {
  readonly rows: readonly {
    readonly section: string;
    readonly label: string;
    readonly passed: number;
    readonly failed: number;
    readonly notTestable: number;
  }[];
}

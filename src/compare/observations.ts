import type { Cassette } from "../cassette/read-cassette.js";
import type { RecordedCall } from "../cassette/recorded-call.js";
import { ERRORS, type ErrorCode } from "../contract/errors.js";
import { formatUsd } from "../contract/money.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";

/** What recordings say about one thing that Mirrorlake assumes (decisions.md): it is then *observed*. */
export interface Observation {
  /** `price`, `free-eligible`, `code of 402`, `data`, `rate limit`. */
  readonly subject: string;
  /** Catalogue id; empty for what all endpoints share. */
  readonly endpoint: string;
  readonly assumed: string;
  readonly observed: string;
  readonly agrees: boolean;
  /** Calls that say so. */
  readonly calls: number;
}

interface Envelope {
  readonly data?: unknown;
  readonly meta?: {
    readonly charged_usd?: string;
    readonly billed?: boolean;
    readonly used_free_quota?: boolean;
  };
  readonly error?: { readonly code?: string };
}

/** Compares a recording with what is assumed: prices, what the free quota covers, error codes, shapes of `data`. */
export function observationsOf({ calls }: Cassette, catalogue: readonly EndpointSpec[]): Observation[] {
  const observed = new Map<string, Observation>();
  const note = (next: Omit<Observation, "calls" | "agrees">) => {
    const key = [next.subject, next.endpoint, next.observed].join("\n");
    const calls = (observed.get(key)?.calls ?? 0) + 1;
    observed.set(key, { ...next, agrees: next.assumed === next.observed, calls });
  };
  for (const call of calls) {
    const { path, method } = call.request;
    const row = catalogue.find((candidate) => candidate.path === path && candidate.method === method);
    if (call.response.status === 200) {
      if (row !== undefined && row.label !== "specified") observeAnswer(row, call, note);
    } else observeError(call, note);
  }
  return [...observed.values()].sort((a, b) => Number(a.agrees) - Number(b.agrees));
}

type Note = (next: Omit<Observation, "calls" | "agrees">) => void;

function observeAnswer(row: EndpointSpec, { response }: RecordedCall, note: Note): void {
  const { data, meta } = (response.json ?? {}) as Envelope;
  const endpoint = row.id;
  if (meta?.billed === true)
    note({ subject: "price", endpoint, assumed: formatUsd(row.price), observed: String(meta.charged_usd) });
  if (meta?.used_free_quota === true)
    note({ subject: "free-eligible", endpoint, assumed: String(row.freeEligible), observed: "true" });
  const fits = row.data.safeParse(data).success;
  note({ subject: "data", endpoint, assumed: "its schema", observed: fits ? "its schema" : "another shape" });
}

function observeError({ response }: RecordedCall, note: Note): void {
  const code = (response.json as Envelope | undefined)?.error?.code;
  const known = (Object.keys(ERRORS) as ErrorCode[]).filter(
    (name) => ERRORS[name].status === response.status,
  );
  if (code === undefined || known.length === 0) return;
  const assumed = known.includes(code as ErrorCode) ? code : known.join(" or ");
  note({ subject: `code of ${response.status}`, endpoint: "", assumed, observed: code });
}

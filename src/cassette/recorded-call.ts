import type { Json } from "../contract/json.js";
import type { CanonicalRequest } from "./canonical-request.js";
import { type ExactJson, exactText, plainJson } from "./exact-json.js";

/** Statuses of answers that have no body (https://fetch.spec.whatwg.org/#null-body-status). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** A request with its answer. */
export interface RecordedCall {
  /** When it was answered, ISO 8601. */
  readonly at: string;
  /** How long the answer took. */
  readonly ms: number;
  readonly request: CanonicalRequest;
  readonly response: RecordedResponse;
}

/** The body of an answer. */
export type RecordedBody =
  | { readonly json: ExactJson }
  | { readonly text: string }
  | { readonly bytes: Uint8Array };

/** A recorded answer. */
export class RecordedResponse {
  constructor(
    readonly status: number,
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>,
    readonly body: RecordedBody,
  ) {}

  /** The body in values of JavaScript; undefined if it is no JSON. */
  get json(): Json | undefined {
    return "json" in this.body ? plainJson(this.body.json) : undefined;
  }

  /** The body as text, if it is some and no JSON. */
  get text(): string | undefined {
    return "text" in this.body ? this.body.text : undefined;
  }

  /** The answer as `fetch` gives it. */
  toResponse(): Response {
    const { status, headers } = this;
    return new Response(WITHOUT_BODY.has(status) ? null : this.bytes(), { status, headers });
  }

  private bytes(): Uint8Array<ArrayBuffer> {
    const { body } = this;
    if ("bytes" in body) return Uint8Array.from(body.bytes);
    // As bytes, so that no type is added to the headers.
    return new TextEncoder().encode("json" in body ? exactText(body.json) : body.text);
  }
}

import { signal as signalOf } from "@preact/signals";
import type { FailureAnswer } from "../console/answers.js";
import { ROOT } from "./root.js";

/** What the lake shows, as the newest answer says: another text after something was installed into it or removed from it. */
export const lakeState = signalOf<string | undefined>(undefined);

/** A refused or failed request, as the server says it. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

/** Sends a request to the console's API. @throws ApiFailure; the signal's reason */
export async function send<T>(
  method: "GET" | "POST",
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${ROOT}console/api/${path}${method === "GET" ? query(params) : ""}`, {
      method,
      signal: signal ?? null,
      ...(method === "POST"
        ? { body: JSON.stringify(params), headers: { "Content-Type": "application/json" } }
        : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure(
      0,
      "unreachable",
      "The server does not answer",
      "See whether `mirrorlake serve` still runs.",
    );
  }
  lakeState.value = response.headers.get("x-mirrorlake-lake") ?? lakeState.value;
  if (response.status === 204) return undefined as T;
  const body = (await response.json().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure(
      response.status,
      "unreadable",
      `What came is no answer of the console (status ${response.status})`,
      "See whether `mirrorlake serve` still runs, and whether a proxy before it passes requests on. Then try again.",
    );
  })) as T | FailureAnswer;
  if (response.ok) return body as T;
  const { code, message, remedy } = (body as FailureAnswer).error ?? {
    code: String(response.status),
    message: "The server refused the request",
    remedy: "",
  };
  throw new ApiFailure(response.status, code, message, remedy);
}

function query(params: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

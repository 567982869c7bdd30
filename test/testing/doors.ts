import axios from "axios";
import { connect } from "../../src/client/connect.js";
import type { Fetch } from "../../src/client/lake-fetch.js";
import type { TestLake } from "../../src/testing/test-lake.js";

/** What a client makes of one call: `ok`, a status, or how it failed. */
export type Outcome = string;

/** A client of one kind, over one door of a lake. */
export type Caller = (signal?: AbortSignal) => Promise<Outcome>;

const BODY = { query: "boots", format: "records" } as const;

/** Three clients over a base URL: the typed one, plain fetch, axios. */
export function callers(baseUrl: string, apiKey: string, fetch?: Fetch): Record<string, Caller> {
  const send = fetch ?? globalThis.fetch;
  const init = (signal?: AbortSignal) => ({
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify(BODY),
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    connect: async (signal) => {
      const client = connect({ baseUrl, apiKey, retry: { retries: 0 }, fetch });
      try {
        await client.search(BODY, signal === undefined ? {} : { signal });
        return "ok";
      } catch (error) {
        const { name, code, status } = error as { name: string; code?: string; status?: number };
        if (code === "connection_failed") return "broken";
        if (code === "unexpected_response") return "not json";
        if (code === "server_error") return "500";
        return name === "ApiError" ? `${status} ${code}` : name;
      }
    },
    fetch: async (signal) => {
      let response: Response;
      let text: string;
      try {
        response = await send(`${baseUrl}/v1/search`, init(signal));
        text = await response.text();
      } catch (error) {
        return (error as Error).name === "TypeError" ? "broken" : (error as Error).name;
      }
      return described(response.status, text);
    },
    axios: async (signal) => {
      try {
        const { headers, method } = init();
        const { status, data } = await axios.request({
          url: `${baseUrl}/v1/search`,
          method,
          headers,
          data: BODY,
          responseType: "text",
          transformResponse: (body) => body,
          validateStatus: () => true,
          ...(signal === undefined ? {} : { signal }),
          ...(fetch === undefined ? {} : { adapter: "fetch", env: { fetch } }),
        });
        return described(status, data as string);
      } catch (error) {
        return axios.isCancel(error) ? "AbortError" : "broken";
      }
    },
  };
}

function described(status: number, text: string): Outcome {
  if (status === 500) return text.startsWith("{") ? "an envelope" : "500";
  try {
    const body = JSON.parse(text);
    return status === 200 ? "ok" : `${status} ${body.error.code}`;
  } catch {
    return "not json";
  }
}

/** The balance and the free calls left, which say what was charged. */
export async function spent(lake: TestLake): Promise<string> {
  const { balance, freeQuotaRemaining } = await lake.account.state();
  return `${balance} ${freeQuotaRemaining}`;
}

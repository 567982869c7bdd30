import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { mswHandlers } from "../../src/testing/msw-handlers.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { type DispatchOptions, undiciInterceptor } from "../../src/testing/undici-interceptor.js";

const ORIGIN = "https://api.example.com";
let lake: TestLake;

beforeAll(async () => {
  lake = await createTestLake({ records: [{ platform: "forum", lang: "en", text: "boots" }], limits: "off" });
});
afterAll(() => lake?.close());

/** Sends a request as undici dispatches it; gives the status with the text, the error, or "passed on". */
function dispatch(options: Partial<DispatchOptions>, fetch = lake.fetch): Promise<unknown> {
  const headers = { "x-api-key": lake.apiKey, "content-type": "application/json" };
  return new Promise((resolve) => {
    let status = 0;
    let text = "";
    const handler = {
      onConnect: () => {},
      onHeaders: (found: number) => {
        status = found;
      },
      onData: (chunk: Buffer) => {
        text += chunk.toString();
      },
      onComplete: () => resolve({ status, text }),
      onError: resolve,
    };
    const passOn = () => {
      resolve("passed on");
      return true;
    };
    const request = {
      origin: ORIGIN,
      path: "/v1/search",
      method: "POST",
      headers,
      body: '{"query":"boots"}',
    };
    undiciInterceptor({ fetch })(passOn)({ ...request, ...options } as never, handler as never);
  });
}

describe("undici's interceptor", () => {
  test("ends a call that hangs after headersTimeout, as undici does", async () => {
    lake.faults.add({ fault: "hang", endpoint: "search" });
    const error = await dispatch({ headersTimeout: 20 });
    lake.faults.clear();
    expect(error).toMatchObject({ name: "HeadersTimeoutError", code: "UND_ERR_HEADERS_TIMEOUT" });
    expect(await dispatch({ headersTimeout: 0 })).toMatchObject({ status: 200 });
  });

  test("ends an answer that stops after bodyTimeout", async () => {
    const stopped = () =>
      Promise.resolve(
        new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) })),
      );
    const error = await dispatch({ bodyTimeout: 20 }, stopped);
    expect(error).toMatchObject({ name: "BodyTimeoutError", code: "UND_ERR_BODY_TIMEOUT" });
  });

  test("gives an answer's headers in both forms: fetch of undici 8 reads the raw ones", async () => {
    const found = await new Promise<unknown>((resolve, reject) => {
      const handler = {
        onRequestStart: () => {},
        onResponseStart: (controller: { rawHeaders: readonly Buffer[] }, _status: number, headers: object) =>
          resolve({ headers, raw: controller.rawHeaders.map(String) }),
        onResponseError: (_: unknown, error: Error) => reject(error),
      };
      const request = { origin: ORIGIN, path: "/v1/raw/forum/posts?q=boots", method: "GET" };
      undiciInterceptor(lake)(() => false)(
        { ...request, headers: { "x-api-key": lake.apiKey } } as never,
        handler as never,
      );
    });
    const { headers, raw } = found as { headers: Record<string, string>; raw: string[] };
    expect(headers).toMatchObject({ "content-type": "application/json" });
    expect(raw).toEqual(Object.entries(headers).flat());
  });

  test("answers for the root of the service, and passes on what only looks like it", async () => {
    for (const path of ["/v1", "/v1?a=1", "/v1/", "/base/v1"])
      expect(await dispatch({ path, method: "GET", body: undefined }), path).toMatchObject({ status: 404 });
    for (const path of ["/v10", "/v1x/search", "/", "/login?next=/v1/search"])
      expect(await dispatch({ path }), path).toBe("passed on");
  });

  test("answers for the files of slices, and passes on other paths that look like them", {
    tags: "slow",
  }, async () => {
    const { text } = (await dispatch({ path: "/v1/datasets/slices", method: "GET", body: undefined })) as {
      text: string;
    };
    const [{ download_url: path, mirrorlake }] = JSON.parse(text).data.items;
    const found = await dispatch({ path, method: "GET", body: undefined });
    expect(found).toMatchObject({ status: 200, text: expect.stringContaining(mirrorlake.root) });
    expect(await dispatch({ path: "/datasets/index.json", method: "GET", body: undefined })).toMatchObject({
      status: 200,
    });
    for (const path of ["/datasets/someone/set", "/datasets", "/my/datasets/index.json.gz"])
      expect(await dispatch({ path }), path).toBe("passed on");
  });
});

test("msw's handlers answer for the root of the service and files of slices; of a path of one's own, for that alone", () => {
  const http = { all: (path: string | RegExp) => path };
  expect(mswHandlers(lake, http)).toEqual(["*/v1/*", "*/v1", expect.any(RegExp)]);
  const files = mswHandlers(lake, http)[2] as RegExp;
  const root = "0123456789abcdef".repeat(4);
  for (const path of [
    `/datasets/${root}/datapackage.json`,
    `/base/datasets/${root}/records.parquet`,
    "/datasets/index.json",
  ])
    expect(files.test(`${ORIGIN}${path}`), path).toBe(true);
  for (const path of ["/datasets/someone/set", "/datasets/", `/datasets/${root}`, `/v1/datasets/slices`])
    expect(files.test(`${ORIGIN}${path}`), path).toBe(false);
  expect(mswHandlers(lake, http, `${ORIGIN}/v1/*`)).toEqual([`${ORIGIN}/v1/*`]);
});

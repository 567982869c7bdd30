import { expect, test } from "vitest";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { openApiDocument } from "../../src/contract/service/openapi/openapi-document.js";
import { OPENAPI_PATH } from "../../src/http/docs-page.js";
import { createDocsSite } from "../../src/http/docs-site.js";

/** Rows that count how often they are described. */
function countedRows() {
  const described = { times: 0 };
  const rows = CATALOGUE.map((row) =>
    Object.defineProperty({ ...row }, "summary", {
      enumerable: true,
      get: () => {
        described.times += 1;
        return row.summary;
      },
    }),
  );
  return { rows, described };
}

/** Turns of the event loop until a promise settles. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  let settled = false;
  const end = () => {
    settled = true;
  };
  promise.then(end, end);
  while (!settled) {
    await new Promise(setImmediate);
    turns += 1;
  }
  return turns;
}

test("the OpenAPI document is made in turns, once for all who ask meanwhile", async () => {
  const alone = countedRows();
  openApiDocument(alone.rows);
  const { rows, described } = countedRows();
  const site = createDocsSite(() => rows);
  const asked = [1, 2, 3].map(async () => (await site.request(OPENAPI_PATH)).text());
  expect(await turnsUntil(Promise.all(asked))).toBeGreaterThanOrEqual(CATALOGUE.length);
  const [first, ...others] = await Promise.all(asked);
  expect(JSON.parse(first!)).toEqual(openApiDocument(CATALOGUE, { serverUrl: "." }));
  expect(others).toEqual([first, first]);
  await (await site.request(OPENAPI_PATH)).text();
  expect(described.times).toBe(alone.described.times);
});

test("the OpenAPI document is made again for another catalogue, also while one is being made", async () => {
  let rows = CATALOGUE;
  const site = createDocsSite(() => rows);
  const read = async () => (await (await site.request(OPENAPI_PATH)).json()) as unknown;
  const whole = read();
  rows = CATALOGUE.slice(0, 3);
  expect(await read()).toEqual(openApiDocument(rows, { serverUrl: "." }));
  expect(await whole).toEqual(openApiDocument(CATALOGUE, { serverUrl: "." }));
});

import { expect, test } from "vitest";
import type { EndpointSpec } from "../../src/contract/service/endpoint.js";
import { compileRoutes } from "../../src/service/router.js";

const row = (id: string, method: "GET" | "POST", path: string) => ({ id, method, path }) as EndpointSpec;
const route = compileRoutes([
  row("search", "POST", "/v1/search"),
  row("list", "GET", "/v1/things"),
  row("make", "POST", "/v1/things"),
  row("one", "GET", "/v1/things/{thing_id}"),
  row("fixed", "GET", "/v1/things/latest"),
]);

test.each([
  ["POST", "/v1/search", "search"],
  ["GET", "/v1/things", "list"],
  ["POST", "/v1/things", "make"],
  ["GET", "/v1/things/latest", "fixed"],
  ["GET", "/v1/things/%6Catest", "fixed"],
  ["GET", "/v1/things/7", "one"],
  ["GET", "/v1/search", undefined],
  ["POST", "/v1/search/", undefined],
  ["POST", "/v1//search", undefined],
  ["POST", "/v1%2Fsearch", undefined],
  ["POST", "/v1/%ZZ", undefined],
  ["POST", "/V1/search", undefined],
  ["POST", "", undefined],
])("%s %s leads to %s", (method, path, id) => {
  expect(route(method, path).endpoint?.id).toBe(id);
});

test("segments of a pattern are decoded one by one", () => {
  expect(route("GET", "/v1/things/a%2Fb").pathParams).toEqual({ thing_id: "a/b" });
  expect(route("GET", "/v1/things/").endpoint).toBeUndefined();
});

test("a path says which methods it takes", () => {
  expect(route("GET", "/v1/search").allow).toEqual(["POST"]);
  expect(route("DELETE", "/v1/things").allow).toEqual(["GET", "POST"]);
  expect(route("DELETE", "/v1/nothing").allow).toEqual(["GET", "POST"]);
});

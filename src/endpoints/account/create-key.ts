import { ApiError } from "../../contract/errors.js";
import type { EndpointData, EndpointValues } from "../../contract/service/catalogue.js";
import type { Handler } from "../handler.js";
import { keyAnswer } from "./keys.js";

/**
 * Creates an API key. A key cannot grant a scope that it lacks (assumed), so that a key for the account endpoints cannot
 * create one with more rights.
 * @throws ApiError `forbidden` for a scope that the caller's key lacks
 */
export const accountCreateKey: Handler<EndpointValues<"account.keys.create">> = async (params, context) => {
  const { account, principal } = context;
  const missing = params.scopes.find(
    (scope) => !principal.scopes.some((own) => own === "*" || own === scope),
  );
  if (missing !== undefined) {
    throw new ApiError("forbidden", { message: `The key cannot grant the scope ${missing}, which it lacks` });
  }
  const key = await account.createKey({
    scopes: params.scopes,
    name: params.name,
  });
  const data: EndpointData<"account.keys.create"> = { ...keyAnswer(key), api_key: key.apiKey };
  return { data, empty: false };
};

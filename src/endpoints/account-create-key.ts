import { ApiError } from "../contract/errors.js";
import type { EndpointData, EndpointValues } from "../contract/service/catalogue.js";
import { keyAnswer } from "./account-keys.js";
import type { Handler } from "./handler.js";

/**
 * Makes an API key. A key cannot hand on a scope that it lacks: that is 403 `forbidden` (assumed), so that a key for the
 * account endpoints alone cannot make itself one for everything.
 */
export const accountCreateKey: Handler<EndpointValues<"account.keys.create">> = async (params, context) => {
  const { account, principal } = context;
  const beyond = params.scopes.find((scope) => !principal.scopes.some((own) => own === "*" || own === scope));
  if (beyond !== undefined) {
    throw new ApiError("forbidden", { message: `The key lacks the scope ${beyond} that it would hand on` });
  }
  const key = await account.createKey({
    scopes: params.scopes,
    name: params.name,
  });
  const data: EndpointData<"account.keys.create"> = { ...keyAnswer(key), api_key: key.apiKey };
  return { data, empty: false };
};

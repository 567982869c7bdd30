import type { EndpointValues } from "../../contract/service/catalogue.js";
import type { Handler } from "../handler.js";
import { keyAnswer } from "./keys.js";

/** Revokes an API key; null if the account has no key with this id (decisions.md, "Empty or missing"). */
export const accountRevokeKey: Handler<EndpointValues<"account.keys.revoke">> = async (
  params,
  { account },
) => {
  const known = (await account.listKeys()).some(({ id }) => id === params.key_id);
  if (!known) return { data: null, empty: true };
  return { data: keyAnswer(await account.revokeKey(params.key_id)), empty: false };
};

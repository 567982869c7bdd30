import type { z } from "zod";
import type { ApiKeyInfo } from "../../account/api-key.js";
import type { ApiKey } from "../../contract/service/account-shapes.js";
import type { EndpointValues } from "../../contract/service/catalogue.js";
import type { Handler } from "../handler.js";

/** Lists the account's keys, newest first. */
export const accountKeys: Handler<EndpointValues<"account.keys">> = async (params, { account }) => {
  const keys = (await account.listKeys()).map(keyAnswer);
  const data = params.include_revoked ? keys : keys.filter(({ revoked_at }) => revoked_at === null);
  return { data, empty: data.length === 0 };
};

/** Converts a key to its answer, field by field, so that no secret can leak. */
export function keyAnswer({ id, name, scopes, created_at, revoked_at }: ApiKeyInfo): z.infer<typeof ApiKey> {
  return { id, name, scopes: [...scopes], created_at, revoked_at: revoked_at ?? null };
}

import { ApiError } from "../contract/errors.js";

/** What {@link CallOptions} has: names that no parameter of the service has. */
const OPTION_NAMES = ["fields", "omit", "signal"];

/**
 * Adds a hint to a refusal of parameters among which an option of the call stands: the service knows nothing of the client's options. Any other
 * error is returned as it is.
 */
export function withPlaceHint(error: unknown, params: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "invalid_params" || error.hint !== undefined)
    return error;
  if (typeof params !== "object" || params === null) return error;
  const name = OPTION_NAMES.find(
    (option) => Object.hasOwn(params, option) && error.message.includes(`${option}: `),
  );
  if (name === undefined) return error;
  const { code, message, requestId, cause } = error;
  const hint = `${name} is an option of the call: it comes after the parameters, as { ${name} }`;
  return new ApiError(code, { message, requestId, hint, cause });
}

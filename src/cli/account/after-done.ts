import { DiskError } from "../../contract/errors.js";

/**
 * The error of a standard output that cannot be written, which also says what was done before: who runs the command again would do it
 * twice. Any other error is given back as it is.
 * @param done what was done, in a sentence without its end
 * @param then what to do once the output can be written
 */
export function afterDone(error: unknown, done: string, then: string): unknown {
  if (!(error instanceof DiskError)) return error;
  const { code, message, value, remedy, cause } = error;
  return new DiskError(code, `${message}. ${done}`, { value, remedy: `${remedy}, then ${then}`, cause });
}

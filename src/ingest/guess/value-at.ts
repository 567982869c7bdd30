import type { ValueSpec } from "../mapping/form/value-spec.js";
import type { Profile } from "./profile.js";

type Options = Omit<Exclude<ValueSpec, string>, "path" | "absent">;

/** The value of a field, without the marks that stand for none in it. */
export function valueAt({ path, absent }: Pick<Profile, "path" | "absent">, options?: Options): ValueSpec {
  if (absent.length > 0) return { path, absent: [...absent], ...options };
  return options === undefined ? path : { path, ...options };
}

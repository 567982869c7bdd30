import { UsageError } from "../contract/errors.js";
import { PlatformSlug } from "../contract/service/platforms.js";

/** Fixed scopes. The only others are `raw:<platform>` (service.md section 5). */
const PLAIN_SCOPES: ReadonlySet<string> = new Set(["search", "datasets", "account", "*"]);

/** Returns true if the scopes of a key include the required scope, or `*`. */
export function scopesCover(granted: readonly string[], scope: string): boolean {
  return granted.includes(scope) || granted.includes("*");
}

/**
 * Checks the scopes of a new key and removes duplicates.
 * @throws UsageError `invalid_scope`
 */
export function checkScopes(scopes: readonly string[]): readonly string[] {
  if (scopes.length === 0) throw invalid("", "A key needs at least one scope");
  for (const scope of scopes) {
    const known =
      PLAIN_SCOPES.has(scope) || (scope.startsWith("raw:") && PlatformSlug.safeParse(scope.slice(4)).success);
    if (!known) throw invalid(scope, `Unknown scope ${JSON.stringify(scope)}`);
  }
  return [...new Set(scopes)];
}

function invalid(scope: string, message: string): UsageError {
  return new UsageError("invalid_scope", message, {
    value: scope,
    remedy: "Use search, datasets, account, raw:<platform> (such as raw:short-video), or * for all.",
  });
}

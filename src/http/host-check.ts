import { isIP } from "node:net";

/**
 * Whether a request's `Host` names this server: an IP literal, `localhost` or a name under it, or an allowed name. Any
 * other name may be a page elsewhere that had its name point here (DNS rebinding); that needs a name, so IP literals
 * are harmless.
 *
 * @param host the `Host` header, `name[:port]`
 * @param allowed further names, in lower case, without port
 */
export function isOwnHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::[0-9]{1,5})?$/i.exec(host ?? "");
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return false;
  if (isIP(name.replace(/^\[|\]$/g, "")) !== 0) return true;
  const plain = name.replace(/\.$/, "");
  return plain === "localhost" || plain.endsWith(".localhost") || allowed.has(plain);
}

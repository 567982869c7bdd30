import { isIP } from "node:net";

/**
 * Returns true if a request's `Host` names this server: an IP literal, `localhost` or a subdomain of it, or an allowed
 * name. Another name may come from a DNS rebinding attack. Such an attack needs a name, so IP literals are safe.
 *
 * @param host the `Host` header, `name[:port]`
 * @param allowed additional names, in lower case, without port
 */
export function isOwnHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::[0-9]{1,5})?$/i.exec(host ?? "");
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return false;
  if (isIP(name.replace(/^\[|\]$/g, "")) !== 0) return true;
  const plain = name.replace(/\.$/, "");
  return plain === "localhost" || plain.endsWith(".localhost") || allowed.has(plain);
}

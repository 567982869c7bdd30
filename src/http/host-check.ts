import { isIP } from "node:net";

/**
 * Returns true if a request's `Host` names this server: an IP literal, `localhost` or a subdomain of it, or an allowed
 * name. Another name may come from a DNS rebinding attack. Such an attack needs a name, so IP literals are safe.
 *
 * @param host the `Host` header, `name[:port]`, where the port may be empty (RFC 3986 section 3.2.3)
 * @param allowed additional names, of {@link allowedHostNames}
 */
export function isOwnHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::[0-9]{0,5})?$/i.exec(host ?? "");
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return false;
  if (isIP(name.replace(/^\[|\]$/g, "")) !== 0) return true;
  const plain = hostName(name);
  return plain === "localhost" || plain.endsWith(".localhost") || allowed.has(plain);
}

/** Allowed names as {@link isOwnHost} compares them. */
export function allowedHostNames(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(names.map(hostName));
}

/**
 * Says what is wrong with an allowed host that is no name of a host, and so would never match.
 * @returns words after "it", with the name that was probably meant; undefined for a name, and for an IP address, which needs none
 */
export function hostProblem(host: string): string | undefined {
  const name = hostName(host);
  if (isIP(name.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  const meant = nameOf(name.includes("://") ? name : `http://${name}`);
  if (meant === name) return undefined;
  if (meant === undefined)
    return 'must be the name of one host, such as "lake.example"; there are no wildcards';
  return `must be the name of a host, without scheme and port: ${JSON.stringify(meant)}`;
}

/** A name in lower case, without the dot that ends an absolute one. */
function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function nameOf(address: string): string | undefined {
  const { hostname = "" } = URL.canParse(address) ? new URL(address) : {};
  return hostname === "" || hostname.includes("*") ? undefined : hostname;
}

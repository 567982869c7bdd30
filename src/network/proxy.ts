import { BlockList, isIP } from "node:net";

/** Variables of the process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A proxy that requests go through. */
export interface HttpProxy {
  /** Its address, `http://`, without credentials. */
  readonly address: URL;
  /** Value of `Proxy-Authorization`, where the variable has a user. */
  readonly authorization: string | undefined;
}

/**
 * The proxy that a request goes through, as `https_proxy`, `http_proxy` and `no_proxy` say, or the same in capitals. This machine is
 * never asked through a proxy.
 * @throws Error for a variable that is not the address of a proxy
 */
export function proxyOf(url: URL, variables: Variables): HttpProxy | undefined {
  const named = `${url.protocol.slice(0, -1)}_proxy`;
  // A server that runs programs for requests (CGI) gives them a header `Proxy` as HTTP_PROXY.
  const isHeader = named === "http_proxy" && variables.REQUEST_METHOD !== undefined;
  const names = isHeader ? [named] : [named, named.toUpperCase()];
  const name = names.find((each) => (variables[each] ?? "") !== "");
  if (name === undefined || isLoopback(url.hostname)) return undefined;
  if (isExcepted(url, variables.no_proxy ?? variables.NO_PROXY ?? "")) return undefined;
  return parse(variables[name]!, name);
}

function parse(value: string, name: string): HttpProxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const given = URL.canParse(text) ? new URL(text) : undefined;
  if (given?.protocol !== "http:") throw new Error(`${name} is not the address of a proxy, http://host:port`);
  const user = `${decodeURIComponent(given.username)}:${decodeURIComponent(given.password)}`;
  return {
    address: new URL(given.origin),
    authorization: user === ":" ? undefined : `Basic ${Buffer.from(user).toString("base64")}`,
  };
}

function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(host);
}

/** Whether `no_proxy` names a host, a domain or range that it is in, or everything; with a port it is of that port alone. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const ports = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return list.split(/[\s,]+/).some((entry) => {
    const { name, only } = partsOf(entry.toLowerCase());
    if (name === "" || (only !== undefined && only !== ports)) return false;
    const domain = name.replace(/^\*?\./, "");
    return (
      name === "*" || hostname === domain || hostname.endsWith(`.${domain}`) || isInRange(hostname, name)
    );
  });
}

/** An entry's host or range, and its port. Addresses of version 6 have colons, so that a port needs brackets around them. */
function partsOf(entry: string): { readonly name: string; readonly only?: string | undefined } {
  if (/^[^[].*:.*:/.test(entry) || /^::/.test(entry)) return { name: entry };
  const [, bracketed, plain, only] = /^(?:\[(.*)\]|(.*?))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? "", only };
}

/** Whether a URL's host is an address in a range such as `10.0.0.0/8` or `fd00::/8`, or the address itself. */
function isInRange(hostname: string, range: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const [, base = "", bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const version = isIP(base);
  if (version === 0 || isIP(host) !== version) return false;
  const most = version === 4 ? 32 : 128;
  const prefix = Number(bits ?? most);
  if (prefix > most) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const addresses = new BlockList();
  addresses.addSubnet(base, prefix, family);
  return addresses.check(host, family);
}

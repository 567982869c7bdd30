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

/** Whether `no_proxy` names a host, a domain that it is in, or everything; with a port it is of that port alone. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const ports = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (only !== undefined && only !== ports)) return false;
    const domain = name.replace(/^\*?\./, "");
    return name === "*" || hostname === domain || hostname.endsWith(`.${domain}`);
  });
}

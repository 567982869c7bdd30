/**
 * Address of a lake on ClickHouse: `clickhouse://user:password@host:8123/database`, `clickhouses://` over TLS; `?timeout=30` in seconds.
 * Servers that answer in each other's place stand beside each other: `clickhouse://user@one:8123,two:8123/database`.
 */
export type ClickHouseAddress = `clickhouse://${string}` | `clickhouses://${string}`;

/** Whether a text is the address of a lake on ClickHouse, as opposed to a folder. */
export function isClickHouseAddress(text: string): text is ClickHouseAddress {
  return /^clickhouses?:\/\/./.test(text);
}

/** The addresses of the servers that an address names, each with one of them, in their order. */
export function serversOf(address: ClickHouseAddress): [ClickHouseAddress, ...ClickHouseAddress[]] {
  const [, scheme = "", user = "", hosts = "", rest = ""] =
    /^(clickhouses?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(address) ?? [];
  const [first, ...others] = hosts
    .split(",")
    .map((host) => `${scheme}${user}${host}${rest}` as ClickHouseAddress);
  return [first!, ...others];
}

/** The address as messages show it: without its password and its options. */
export function shownClickHouse(address: string): string {
  const servers = isClickHouseAddress(address) ? serversOf(address) : [address];
  if (!servers.every((each) => URL.canParse(each))) return "the ClickHouse database";
  const { protocol, username, pathname } = new URL(servers[0]!);
  const hosts = servers.map((each) => new URL(each).host).join();
  return `${protocol}//${username === "" ? "" : `${username}@`}${hosts}${pathname}`;
}

/** Address of a lake on ClickHouse: `clickhouse://user:password@host:8123/database`, `clickhouses://` over TLS; `?timeout=30` in seconds. */
export type ClickHouseAddress = `clickhouse://${string}` | `clickhouses://${string}`;

/** Whether a text is the address of a lake on ClickHouse, as opposed to a folder. */
export function isClickHouseAddress(text: string): text is ClickHouseAddress {
  return /^clickhouses?:\/\/./.test(text);
}

/** The address as messages show it: without its password and its options. */
export function shownClickHouse(address: string): string {
  if (!URL.canParse(address)) return "the ClickHouse database";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

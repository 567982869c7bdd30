/** Whether a text is the address of a PostgreSQL database: `postgres://…` or `postgresql://…`. */
export function isPostgresAddress(text: string): text is PostgresAddress {
  return /^postgres(?:ql)?:\/\/./.test(text);
}

/** Address of a PostgreSQL database, as libpq takes it: `postgres://user:password@host:5432/database`. */
export type PostgresAddress = `postgres://${string}` | `postgresql://${string}`;

/** The address as messages show it: without its password and its options. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return "the PostgreSQL database";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

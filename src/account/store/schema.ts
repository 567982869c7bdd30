/** Version of the tables below. A database with a newer version is refused. */
export const SCHEMA_VERSION = 1;

/**
 * The account's tables, in SQL valid for both SQLite and PostgreSQL. Amounts are decimal text, exact for any size;
 * instants are milliseconds since the Unix epoch.
 */
export const SCHEMA = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  balance TEXT NOT NULL,
  held TEXT NOT NULL,
  holds INTEGER NOT NULL,
  topped_up INTEGER NOT NULL,
  keys_version INTEGER NOT NULL
);
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  amount TEXT NOT NULL,
  balance TEXT NOT NULL,
  outcome TEXT,
  key_id TEXT,
  endpoint TEXT,
  request_id TEXT,
  error_code TEXT,
  quota_month TEXT,
  reference TEXT
);
CREATE INDEX ledger_settled ON ledger (request_id)
  WHERE outcome IN ('charged', 'free_quota', 'no_charge');
CREATE INDEX ledger_reference ON ledger (reference) WHERE reference IS NOT NULL;
CREATE TABLE quota (month TEXT PRIMARY KEY, used INTEGER NOT NULL, held INTEGER NOT NULL);
CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  month TEXT NOT NULL,
  free INTEGER NOT NULL,
  amount TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
);
CREATE TABLE rate_window (at BIGINT NOT NULL);
INSERT INTO schema_version (version) VALUES (${SCHEMA_VERSION});
`;

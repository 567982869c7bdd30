import type { RowSet } from "../contract/lake/row-set.js";
import type { Domain } from "../contract/service/platforms.js";
import type { ColumnValues } from "./filter-columns.js";

/** How many records there are of each platform, domain and language that has any. */
export interface RecordTally {
  readonly platforms: ReadonlyMap<string, number>;
  readonly domains: ReadonlyMap<Domain, number>;
  readonly langs: ReadonlyMap<string, number>;
}

/** Counts the records of rows, in one pass. */
export function tallyRecords({ platforms, langs, platform, lang }: ColumnValues, rows: RowSet): RecordTally {
  const ofPlatform = new Uint32Array(platforms.length);
  const ofLang = new Uint32Array(langs.length);
  for (const row of rows.rows()) {
    ofPlatform[platform[row]!]! += 1;
    ofLang[lang[row]!]! += 1;
  }
  const tally = {
    platforms: new Map<string, number>(),
    domains: new Map<Domain, number>(),
    langs: new Map<string, number>(),
  };
  for (const [number, { slug, domain }] of platforms.entries()) {
    add(tally.platforms, slug, ofPlatform[number]!);
    add(tally.domains, domain, ofPlatform[number]!);
  }
  for (const [number, tag] of langs.entries()) add(tally.langs, tag, ofLang[number]!);
  return tally;
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { RowSet } from "../contract/lake/row-set.js";
import type { Domain } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { writeNewFile } from "../files/durable-files.js";
import { readWhole } from "../files/read-whole.js";
import { languageMatches } from "../slice/language-range.js";
import type { RecordFilter } from "./corpus.js";
import { type RecordTally, tallyRecords } from "./record-tally.js";

const FILTERS_KEPT = 64;

/** Filter columns of records: platform and language as dictionary codes, and the capture time. */
export interface ColumnValues {
  readonly platforms: readonly { readonly slug: string; readonly domain: Domain }[];
  readonly langs: readonly string[];
  readonly platform: Uint16Array;
  readonly lang: Uint16Array;
  readonly capturedMs: Float64Array;
}

/** Builds the columns of records, appended to those of a base's first rows, in row order. */
export class ColumnsBuilder {
  private readonly platforms: { slug: string; domain: Domain }[];
  private readonly langs: string[];
  private readonly platformNumbers: Map<string, number>;
  private readonly langNumbers: Map<string, number>;
  private readonly platform: Uint16Array;
  private readonly lang: Uint16Array;
  private readonly capturedMs: Float64Array;
  private next: number;

  /**
   * @param rows number of all rows
   * @param first number of the base's rows that stay; default: all
   */
  constructor(base: ColumnValues | undefined, rows: number, first = base?.platform.length ?? 0) {
    this.platforms = [...(base?.platforms ?? [])];
    this.langs = [...(base?.langs ?? [])];
    this.platformNumbers = new Map(this.platforms.map(({ slug }, i) => [slug, i]));
    this.langNumbers = new Map(this.langs.map((lang, i) => [lang, i]));
    this.platform = new Uint16Array(rows);
    this.lang = new Uint16Array(rows);
    this.capturedMs = new Float64Array(rows);
    this.next = first;
    if (base !== undefined) {
      this.platform.set(base.platform.subarray(0, first));
      this.lang.set(base.lang.subarray(0, first));
      this.capturedMs.set(base.capturedMs.subarray(0, first));
    }
  }

  /** Adds the record of the next row. */
  add({ platform, src, lang, prov }: StoredRecord): void {
    this.platform[this.next] = numberOf(this.platformNumbers, platform, () =>
      this.platforms.push({ slug: platform, domain: src }),
    );
    this.lang[this.next] = numberOf(this.langNumbers, lang, () => this.langs.push(lang));
    this.capturedMs[this.next] = Date.parse(prov.ts);
    this.next++;
  }

  /** The columns. @throws RangeError for more than 65,535 platforms or languages */
  finish(): ColumnValues {
    if (this.platforms.length > 0xffff || this.langs.length > 0xffff) {
      throw new RangeError(
        `${this.platforms.length} platforms and ${this.langs.length} languages: at most 65535`,
      );
    }
    const { platforms, langs, platform, lang, capturedMs } = this;
    return { platforms, langs, platform, lang, capturedMs };
  }
}

function numberOf(numbers: Map<string, number>, key: string, add: () => void): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(key, number);
    add();
  }
  return number;
}

/** Writes columns and the bitsets of live rows to a new folder. */
export async function writeColumns(
  dir: string,
  { platform, lang, capturedMs }: ColumnValues,
  live: { readonly records: RowSet; readonly raw: RowSet },
): Promise<void> {
  await mkdir(dir);
  await writeNewFile(join(dir, "platform.u16"), bytesOf(platform));
  await writeNewFile(join(dir, "lang.u16"), bytesOf(lang));
  await writeNewFile(join(dir, "captured.f64"), bytesOf(capturedMs));
  await writeNewFile(join(dir, "live-records.bits"), bytesOf(live.records.bits));
  await writeNewFile(join(dir, "live-raw.bits"), bytesOf(live.raw.bits));
}

/** Reads the files of {@link writeColumns}. @throws RangeError if they do not have the given numbers of rows */
export async function readColumns(
  dir: string,
  dictionaries: Pick<ColumnValues, "platforms" | "langs">,
  rows: { readonly records: number; readonly raw: number },
): Promise<{ columns: ColumnValues; live: { records: RowSet; raw: RowSet } }> {
  const read = async (name: string) => (await readWhole(join(dir, name))).buffer;
  const [platform, lang, captured, liveRecords, liveRaw] = await Promise.all([
    read("platform.u16"),
    read("lang.u16"),
    read("captured.f64"),
    read("live-records.bits"),
    read("live-raw.bits"),
  ]);
  const columns: ColumnValues = {
    ...dictionaries,
    platform: new Uint16Array(platform),
    lang: new Uint16Array(lang),
    capturedMs: new Float64Array(captured),
  };
  for (const column of [columns.platform, columns.lang, columns.capturedMs]) {
    if (column.length !== rows.records)
      throw new RangeError(`A column of ${column.length} rows, not ${rows.records}`);
  }
  const live = {
    records: RowSet.fromBits(rows.records, new Uint32Array(liveRecords)),
    raw: RowSet.fromBits(rows.raw, new Uint32Array(liveRaw)),
  };
  return { columns, live };
}

/** Evaluates filters over the live records on the columns alone; caches the last results. */
export class FilterColumns {
  private readonly answers = new Map<string, RowSet>();
  private counted: RecordTally | undefined;

  constructor(
    private readonly columns: ColumnValues,
    private readonly live: RowSet,
  ) {}

  /** What the live records are of, counted when it is first asked for. */
  get tally(): RecordTally {
    this.counted ??= tallyRecords(this.columns, this.live);
    return this.counted;
  }

  /** What the records of some live rows are of. */
  tallyOf(rows: RowSet): RecordTally {
    return rows === this.live ? this.tally : tallyRecords(this.columns, rows);
  }

  /** The live rows that match a filter. */
  match(filter: RecordFilter): RowSet {
    const key = JSON.stringify([filter.domains, filter.platforms, filter.langs, filter.fromMs, filter.toMs]);
    let rows = this.answers.get(key);
    if (rows === undefined) {
      rows = this.scan(filter);
      if (this.answers.size >= FILTERS_KEPT) this.answers.delete(this.answers.keys().next().value!);
    } else {
      this.answers.delete(key);
    }
    this.answers.set(key, rows);
    return rows;
  }

  private scan({ domains, platforms, langs, fromMs, toMs }: RecordFilter): RowSet {
    const { columns, live } = this;
    const platformFits = Uint8Array.from(columns.platforms, ({ slug, domain }) =>
      (domains?.includes(domain) ?? true) && (platforms?.includes(slug) ?? true) ? 1 : 0,
    );
    const langFits = Uint8Array.from(columns.langs, (tag) =>
      (langs?.some((range) => languageMatches(range, tag)) ?? true) ? 1 : 0,
    );
    const from = fromMs ?? Number.NEGATIVE_INFINITY;
    const to = toMs ?? Number.POSITIVE_INFINITY;
    const everyKey = !platformFits.includes(0) && !langFits.includes(0);
    if (everyKey && fromMs === undefined && toMs === undefined) return live;
    const { platform, lang, capturedMs } = columns;
    const bits = new Uint32Array(live.bits.length);
    for (let word = 0; word < bits.length; word++) {
      let rest = live.bits[word]!;
      let matched = 0;
      while (rest !== 0) {
        const bit = rest & -rest;
        rest ^= bit;
        const row = (word << 5) + 31 - Math.clz32(bit);
        const ms = capturedMs[row]!;
        if (ms >= from && ms <= to && platformFits[platform[row]!] === 1 && langFits[lang[row]!] === 1) {
          matched |= bit;
        }
      }
      bits[word] = matched;
    }
    return RowSet.fromBits(live.size, bits);
  }
}

function bytesOf(view: Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

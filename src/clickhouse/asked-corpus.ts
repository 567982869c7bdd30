import type { RowSet } from "../contract/lake/row-set.js";
import type { Platform } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type {
  BucketUnit,
  Corpus,
  RawBucket,
  RawFilter,
  RawPage,
  RawQuery,
  RecordFilter,
  RecordsQuery,
  SlicesQuery,
} from "../store/corpus.js";
import type { RecordTally } from "../store/record-tally.js";
import type { RemovedRows } from "../store/removals/removed-rows.js";
import type { ClickHouseView } from "./clickhouse-view.js";

/** Whom questions go to. */
export interface Asker {
  /** The view that answers without the server. */
  view(): ClickHouseView;
  /** Asks the server by a view; fails or asks again rather than give an answer that is older than a removal. */
  ask<T>(work: (view: ClickHouseView) => Promise<T>): Promise<T>;
}

/** The corpus of a view, each question of which goes by an {@link Asker}. */
export class AskedCorpus implements Corpus {
  constructor(private readonly asker: Asker) {}

  get recordCount(): number {
    return this.shown.recordCount;
  }

  get rowCount(): number {
    return this.shown.rowCount;
  }

  get live(): RowSet {
    return this.shown.live;
  }

  get asOfMs(): number {
    return this.shown.asOfMs;
  }

  rawAsOfMs(): Promise<number> {
    return this.asker.ask(({ corpus }) => corpus.rawAsOfMs());
  }

  get database(): string {
    return this.shown.database;
  }

  get removed(): RemovedRows {
    return this.shown.removed;
  }

  get tally(): RecordTally {
    return this.shown.tally;
  }

  tallyOf(rows: RowSet): RecordTally {
    return this.shown.tallyOf(rows);
  }

  platforms(): readonly Platform[] {
    return this.shown.platforms();
  }

  match(filter: RecordFilter): RowSet {
    return this.shown.match(filter);
  }

  records(rows: readonly number[]): Promise<StoredRecord[]> {
    return this.asker.ask(({ corpus }) => corpus.records(rows));
  }

  recordRow(id: string): Promise<number | undefined> {
    return this.asker.ask(({ corpus }) => corpus.recordRow(id));
  }

  recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }> {
    return this.asker.ask(({ corpus }) => corpus.recordsPage(query));
  }

  listRecords(query: RecordsQuery): Promise<{ records: StoredRecord[]; total: number }> {
    return this.asker.ask(({ corpus }) => corpus.listRecords(query));
  }

  raw(platform: string, resource: string, id: string): Promise<RawItem | undefined> {
    return this.asker.ask(({ corpus }) => corpus.raw(platform, resource, id));
  }

  rawPage(query: RawQuery): Promise<RawPage> {
    return this.asker.ask(({ corpus }) => corpus.rawPage(query));
  }

  rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]> {
    return this.asker.ask(({ corpus }) => corpus.rawBuckets(filter, unit));
  }

  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number } {
    return this.shown.slices(query);
  }

  private get shown(): Corpus {
    return this.asker.view().corpus;
  }
}

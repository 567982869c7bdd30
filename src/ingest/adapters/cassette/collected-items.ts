import type { SliceItem } from "../../../contract/slice/slice-item.js";
import type { AnsweredItem, AnsweredRecord } from "./answer-items.js";
import type { AnsweredRaw } from "./answered-raw.js";

/** Keys of a raw item that not every answer with the item tells. */
const KEYS = ["parent", "reply_to", "offset_s"] as const;

/** The items of a recording: of one that several answers show, what the latest capture shows. */
export class CollectedItems {
  private readonly records = new Map<string, AnsweredRecord>();
  private readonly raw = new Map<string, AnsweredRaw>();

  /** Adds an item of an answer. */
  add(item: AnsweredItem): void {
    if (item.kind === "record") this.addRecord(item);
    else this.addRaw(item);
  }

  /** What is kept. */
  *items(): Generator<SliceItem, void, void> {
    for (const { kind, record, vector } of this.records.values()) yield { kind, record, vector };
    for (const { kind, raw } of this.raw.values()) yield { kind, raw };
  }

  private addRecord(next: AnsweredRecord): void {
    const known = this.records.get(next.record.id);
    if (known === undefined) {
      this.records.set(next.record.id, next);
      return;
    }
    const [kept, other] = isBetter(next, known) ? [next, known] : [known, next];
    const isSame = kept.record.prov.hash === other.record.prov.hash;
    this.records.set(next.record.id, isSame ? { ...kept, vector: kept.vector ?? other.vector } : kept);
  }

  private addRaw(next: AnsweredRaw): void {
    const { platform, resource, id } = next.raw;
    const key = `${platform}/${resource}/${id}`;
    const known = this.raw.get(key);
    this.raw.set(key, known === undefined ? next : merged(next, known));
  }
}

/** The later capture, with what the other one knows besides. */
function merged(next: AnsweredRaw, known: AnsweredRaw): AnsweredRaw {
  const isLater = Date.parse(next.raw.captured_at) > Date.parse(known.raw.captured_at);
  const [kept, other] = isLater ? [next, known] : [known, next];
  const keys = Object.fromEntries(KEYS.map((name) => [name, kept.raw[name] ?? other.raw[name]]));
  const told = { author: kept.told.author ?? other.told.author, score: kept.told.score ?? other.told.score };
  const author = told.author ?? kept.raw.author ?? other.raw.author;
  return { kind: "raw", raw: { ...kept.raw, ...keys, author, score: told.score ?? kept.raw.score }, told };
}

/** Whether a record says more: what a search shows before what others do, then the later capture, then the one with a vector. */
function isBetter(next: AnsweredRecord, known: AnsweredRecord): boolean {
  if (next.rank !== known.rank) return next.rank > known.rank;
  const later = Date.parse(next.record.prov.ts) - Date.parse(known.record.prov.ts);
  return later > 0 || (later === 0 && known.vector === undefined && next.vector !== undefined);
}

import type { RawItem } from "../../contract/slice/slice-item.js";
import type { RawFilter, RawPage, RawQuery } from "../corpus.js";
import { rawMatches } from "../raw-filter.js";
import { compareBytes, compareValues } from "../raw-pages.js";
import { wordsMatch } from "../raw-words.js";

/** Raw items in memory, found by key and by platform and resource. */
export class RawLists {
  private readonly byKey = new Map<string, RawItem>();
  private readonly byKind = new Map<string, RawItem[]>();

  constructor(private readonly items: readonly RawItem[]) {
    for (const item of items) {
      this.byKey.set(keyOf(item.platform, item.resource, item.id), item);
      const kind = `${item.platform}/${item.resource}`;
      const list = this.byKind.get(kind);
      if (list === undefined) this.byKind.set(kind, [item]);
      else list.push(item);
    }
  }

  /** The item with a key. */
  find(platform: string, resource: string, id: string): RawItem | undefined {
    return this.byKey.get(keyOf(platform, resource, id));
  }

  /** The items that match a filter, `text` aside. */
  matching(filter: RawFilter): RawItem[] {
    const among =
      filter.resource === undefined
        ? this.items
        : (this.byKind.get(`${filter.platform}/${filter.resource}`) ?? []);
    return among.filter((item) => rawMatches(item, filter));
  }

  /** The items of one page, and the number of all matches. */
  page(query: RawQuery): RawPage {
    const { orderBy, descending = false, offset, limit } = query;
    const value = (item: RawItem): number => {
      if (orderBy === "score") return item.score;
      if (orderBy === "captured") return Date.parse(item.captured_at);
      if (orderBy === "offset") return item.offset_s ?? Number.NaN;
      return orderBy === "id" || item.created_at === undefined ? Number.NaN : Date.parse(item.created_at);
    };
    const sign = orderBy === "id" && descending ? -1 : 1;
    const items = this.matching(query).filter((item) => wordsMatch(item, query.text));
    items.sort(
      (a, b) =>
        compareValues(value(a), value(b), descending) ||
        sign * compareBytes(a.id, b.id) ||
        compareBytes(a.resource, b.resource),
    );
    return { items: items.slice(offset, offset + limit), total: items.length };
  }
}

function keyOf(platform: string, resource: string, id: string): string {
  return `${platform}\u0000${resource}\u0000${id}`;
}

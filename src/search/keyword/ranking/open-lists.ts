import type { PlacedSegment } from "../placed-segment.js";
import { PostingArena } from "../postings/posting-arena.js";
import type { PostingList } from "../postings/posting-list.js";
import { SpokenPostings } from "../postings/spoken-postings.js";
import type { FoundEntry } from "./query-groups.js";

/** The posting lists that a query has read, in memory that the next one uses again. */
export class OpenLists {
  private readonly arena = new PostingArena();
  /**
   * A map for each query: V8 puts what an old map grows by among old objects, where dead lists and entries would stay until a full
   * collection.
   */
  private lists = new Map<FoundEntry, PostingList>();

  constructor(private readonly segments: readonly PlacedSegment[]) {}

  /** The postings of an alternative in a segment: those in documents of the languages that match with it. */
  open(segment: number, found: FoundEntry): PostingList {
    let list = this.lists.get(found);
    if (list === undefined) {
      const { keyword } = this.segments[segment]!;
      list = keyword.postings(found.entry, this.arena.take);
      const { spoken } = found;
      if (spoken !== undefined) list = new SpokenPostings(list, keyword.languages, keyword.among(spoken));
      this.lists.set(found, list);
    }
    return list;
  }

  /** Lets the lists go; they are not valid any more. */
  forget(): void {
    this.lists = new Map();
    this.arena.reset();
  }
}

import type { ItemPlace, SliceItem } from "../../contract/slice/slice-item.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { CONVERT_TURN_MS } from "../defaults.js";
import type { ExternalSort } from "../mapping/external-sort.js";
import { FieldError } from "../values/field-error.js";
import type { Converted } from "./adapter.js";

const BATCH = 256;

/** Place of the first source row of a group. */
export type Origin = ItemPlace;

/** Where no place is known. */
const NOWHERE: Origin = { file: "", line: 0 };

/** Folds the entries of a group, added in order, to items. */
export interface GroupFold<T> {
  /** Adds an entry. A FieldError rejects the entry's row; the group continues without it. */
  add(value: T): void;
  /** Returns the items of the group. A FieldError rejects the group. */
  finish(): readonly SliceItem[] | Promise<readonly SliceItem[]>;
  /** The row named by a reject of the group. */
  readonly origin: Origin | undefined;
  /** Source rows that are rejected with the group: those that are part of nothing else. */
  readonly rows: number;
}

/** Folds the sorted entries of groups to items, in key order. */
export async function* foldGroups<T>(
  sort: ExternalSort<T>,
  begin: (key: string) => GroupFold<T>,
): AsyncGenerator<readonly Converted[]> {
  const turn = new EventLoopTurn(CONVERT_TURN_MS);
  let batch: Converted[] = [];
  let key: string | undefined;
  let fold: GroupFold<T> | undefined;
  const reject = (group: GroupFold<T>, error: unknown, rows: number) => {
    if (!(error instanceof FieldError)) throw error;
    const { file, line, element } = group.origin ?? NOWHERE;
    batch.push({ reject: { file, line, element, field: error.field, reason: error.message, rows } });
  };
  const finish = async (group: GroupFold<T>) => {
    try {
      for (const item of await group.finish()) batch.push({ ok: { ...item, at: group.origin } });
    } catch (error) {
      reject(group, error, group.rows);
    }
  };
  for await (const entry of sort.sorted()) {
    if (turn.isOver()) await turn.next();
    if (entry.key !== key) {
      if (fold !== undefined) await finish(fold);
      if (batch.length >= BATCH) {
        yield batch;
        batch = [];
      }
      key = entry.key;
      fold = begin(key);
    }
    try {
      fold!.add(entry.value);
    } catch (error) {
      reject(fold!, error, 1);
    }
  }
  if (fold !== undefined) await finish(fold);
  if (batch.length > 0) yield batch;
}

import type { SliceItem } from "../../contract/slice/slice-item.js";
import type { ExternalSort } from "../mapping/external-sort.js";
import { FieldError } from "../mapping/field-error.js";
import type { Converted } from "./adapter.js";

const BATCH = 256;

/** Where the first source row of a group stands. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

/** What a group becomes of its entries, added in order. */
export interface GroupFold<T> {
  /** A FieldError rejects the row that the value is of; the group goes on without it. */
  add(value: T): void;
  /** The items of the group, or a FieldError, which rejects it. */
  finish(): readonly SliceItem[] | Promise<readonly SliceItem[]>;
  /** The row that a reject of the group names. */
  readonly origin: Origin | undefined;
  /** Source rows that are lost with the group, having gone into nothing else. */
  readonly rows: number;
}

/** Folds the sorted entries of groups to items, in the order of their keys. */
export async function* foldGroups<T>(
  sort: ExternalSort<T>,
  begin: (key: string) => GroupFold<T>,
): AsyncGenerator<readonly Converted[]> {
  let batch: Converted[] = [];
  let key: string | undefined;
  let fold: GroupFold<T> | undefined;
  const reject = (group: GroupFold<T>, error: unknown, rows: number) => {
    if (!(error instanceof FieldError)) throw error;
    const { file, line } = group.origin ?? { file: "", line: 0 };
    batch.push({ reject: { file, line, field: error.field, reason: error.message, rows } });
  };
  const finish = async (group: GroupFold<T>) => {
    try {
      for (const ok of await group.finish()) batch.push({ ok });
    } catch (error) {
      reject(group, error, group.rows);
    }
  };
  for await (const entry of sort.sorted()) {
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

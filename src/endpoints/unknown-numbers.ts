import { Comment } from "../contract/service/raw.js";
import { StoredComment } from "../contract/service/raw-shapes.js";

const NAMES = Object.keys(Comment.shape);
/** Numbers that service.md section 2.5 has in every comment, and a source may not have. */
const NUMBERS = NAMES.filter((name) =>
  (StoredComment.shape as Readonly<Record<string, { isOptional(): boolean }>>)[name]!.isOptional(),
);

/** Items in the shape of the service, and the header that names the numbers that are not known. */
export interface AnsweredItems<Item> {
  readonly items: readonly Item[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Gives comments the numbers that the service's shape demands: 0 where their source has none. The header `X-Mirrorlake-Unknown` names
 * those numbers, as in SQL they are NULL. Other items stay as they are.
 */
export function withKnownNumbers<Item>(items: readonly Item[]): AnsweredItems<Item> {
  const unknown = new Set<string>();
  const answered = items.map((item) => {
    if (typeof item !== "object" || item === null || !("cid" in item)) return item;
    const lacking = NUMBERS.filter((name) => !(name in item));
    if (lacking.length === 0) return item;
    for (const name of lacking) unknown.add(name);
    const known = item as Readonly<Record<string, unknown>>;
    const names = [...NAMES, ...Object.keys(item).filter((name) => !NAMES.includes(name))];
    return Object.fromEntries(names.map((name) => [name, lacking.includes(name) ? 0 : known[name]])) as Item;
  });
  return {
    items: answered,
    headers: unknown.size === 0 ? {} : { "X-Mirrorlake-Unknown": [...unknown].join(",") },
  };
}

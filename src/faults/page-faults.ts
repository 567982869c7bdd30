import type { Handler, HandlerContext, HandlerResult } from "../endpoints/handler.js";

interface Page {
  readonly items: readonly unknown[];
  readonly total: number;
}

/** The page from some items before its cursor on, so that it overlaps the page before; every item is still in some page. */
export function overlapping(
  handler: Handler,
  params: never,
  context: HandlerContext,
  items: number,
): Promise<HandlerResult> {
  const { cursor, count, limit } = params as { cursor?: unknown; count?: unknown; limit?: unknown };
  const size = typeof count === "number" ? count : limit;
  if (typeof cursor !== "number" || typeof size !== "number") return handler(params, context);
  const earlier = Math.min(items, Math.max(0, size - 1), cursor);
  return handler({ ...(params as object), cursor: cursor - earlier } as never, context);
}

/** The page without its last items. */
export function shrunk(result: HandlerResult, items: number): HandlerResult {
  const page = result.data as Page | null;
  if (page === null || typeof page !== "object" || !Array.isArray(page.items)) return result;
  const left = page.items.slice(0, Math.max(0, page.items.length - items));
  const total = Math.max(0, page.total - (page.items.length - left.length));
  return { ...result, data: { ...page, items: left, total }, empty: left.length === 0 };
}

/** A comment as answers and the view `comments` have it; only `cid` and `text` are needed. */
export interface CommentLike {
  readonly cid: string;
  readonly text: string;
  /** `cid` of the comment that this one answers; absent or null at the top. */
  readonly reply_to?: string | null | undefined;
  readonly likes?: number | null | undefined;
  readonly reply_count?: number | null | undefined;
  readonly created_at?: string | null | undefined;
  readonly ip_location?: string | null | undefined;
  readonly is_hot?: boolean | null | undefined;
  readonly lang?: string | null | undefined;
  readonly author?: { readonly nickname?: string; readonly uid_hash?: string } | undefined;
  readonly author_uid_hash?: string | null | undefined;
  /** Replies, where they come nested. */
  readonly replies?: readonly CommentLike[] | undefined;
}

/** A comment with its replies. */
export interface CommentNode {
  readonly comment: CommentLike;
  readonly replies: readonly CommentNode[];
}

/** A tree of comments, and the replies whose comment is not among them. */
export interface CommentTree {
  readonly roots: readonly CommentNode[];
  readonly orphans: readonly CommentNode[];
}

/**
 * Puts replies under what they answer, in the given order. A comment that comes twice by `cid` counts once (pages overlap,
 * service.md section 4.2.2); comments that answer each other in a circle are orphans, so that none is lost.
 */
export function buildCommentTree(comments: Iterable<CommentLike>): CommentTree {
  const nodes = new Map<string, { comment: CommentLike; replies: CommentNode[] }>();
  const parents = new Map<string, string>();
  const queue = Array.from(comments, (comment) => ({ comment, parent: comment.reply_to ?? undefined }));
  for (const { comment, parent } of queue) {
    if (nodes.has(comment.cid)) continue;
    nodes.set(comment.cid, { comment, replies: [] });
    if (parent !== undefined) parents.set(comment.cid, parent);
    for (const reply of comment.replies ?? [])
      queue.push({ comment: reply, parent: reply.reply_to ?? comment.cid });
  }
  const roots: CommentNode[] = [];
  const orphans: CommentNode[] = [];
  const heads = circleHeads(parents);
  for (const [cid, node] of nodes) {
    const parent = parents.get(cid);
    if (parent === undefined) roots.push(node);
    else if (!nodes.has(parent) || heads.has(cid)) orphans.push(node);
    else nodes.get(parent)!.replies.push(node);
  }
  return { roots, orphans };
}

/** Of each circle of answers the least `cid`: there the circle is opened. */
function circleHeads(parents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const heads = new Set<string>();
  const done = new Set<string>();
  for (const start of parents.keys()) {
    const path = new Set<string>();
    let at: string | undefined = start;
    for (; at !== undefined && !done.has(at) && !path.has(at); at = parents.get(at)) path.add(at);
    if (at !== undefined && path.has(at)) {
      const order = [...path];
      heads.add(order.slice(order.indexOf(at)).sort()[0]!);
    }
    for (const cid of path) done.add(cid);
  }
  return heads;
}

/** A node and everything below it, each comment before its replies, with its depth; no recursion, however deep. */
export function* walk(node: CommentNode): Generator<{ readonly node: CommentNode; readonly depth: number }> {
  const stack = [{ node, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next;
    for (const reply of next.node.replies.toReversed()) stack.push({ node: reply, depth: next.depth + 1 });
  }
}

/** All comments of a node: itself and everything below it. */
export function countNodes(node: CommentNode): number {
  let count = 0;
  for (const _ of walk(node)) count++;
  return count;
}

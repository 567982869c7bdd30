/** A comment of an answer or of the view `comments`; only `cid` and `text` are required. */
export interface CommentLike {
  readonly cid: string;
  readonly text: string;
  /** `cid` of the answered comment; absent or null at the top level. */
  readonly reply_to?: string | null | undefined;
  readonly likes?: number | bigint | null | undefined;
  readonly reply_count?: number | bigint | null | undefined;
  readonly created_at?: string | Date | null | undefined;
  readonly ip_location?: string | null | undefined;
  readonly is_hot?: boolean | null | undefined;
  readonly lang?: string | null | undefined;
  readonly author?: { readonly nickname?: string; readonly uid_hash?: string } | undefined;
  readonly author_uid_hash?: string | null | undefined;
  /** Nested replies. */
  readonly replies?: readonly CommentLike[] | undefined;
}

/** A comment with its replies. */
export interface CommentNode {
  readonly comment: CommentLike;
  readonly replies: readonly CommentNode[];
}

/** A tree of comments, and the replies whose parent is missing. */
export interface CommentTree {
  readonly roots: readonly CommentNode[];
  readonly orphans: readonly CommentNode[];
}

/**
 * Builds the tree of comments, in the given order. A repeated `cid` counts once (pages overlap, service.md section 4.2.2).
 * Comments in a reply cycle are orphans, so that none is lost.
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

/** The least `cid` of each reply cycle, where the cycle is cut. */
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

/** Pre-order traversal of a node with depths; iterative, so any depth works. */
export function* walk(node: CommentNode): Generator<{ readonly node: CommentNode; readonly depth: number }> {
  const stack = [{ node, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next;
    for (const reply of next.node.replies.toReversed()) stack.push({ node: reply, depth: next.depth + 1 });
  }
}

/** Number of comments in a node: itself and all below it. */
export function countNodes(node: CommentNode): number {
  let count = 0;
  for (const _ of walk(node)) count++;
  return count;
}

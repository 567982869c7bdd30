import { useState } from "preact/hooks";
import type { CallAnswer } from "../../../console/answers.js";
import { type ApiFailure, send } from "../../api.js";
import { instant, short } from "../../format.js";
import { useOneAtATime } from "../../one-at-a-time.js";
import { Button } from "../../parts/button.js";
import { Failure } from "../../parts/states.js";
import { failureOf } from "../../resource.js";
import type { Params } from "../../router.js";

/** A comment of any platform (service.md section 2.5). */
export interface Comment {
  readonly cid: string;
  readonly text: string;
  readonly likes?: number;
  readonly reply_count?: number;
  readonly created_at?: string;
  readonly ip_location?: string;
  readonly is_hot?: boolean;
  readonly author?: { readonly nickname?: string | null; readonly uid_hash?: string };
}

/** Whether an item of an answer is a comment. */
export function isComment(item: unknown): item is Comment {
  return typeof item === "object" && item !== null && "cid" in item && "text" in item;
}

/** Parameters that say what is commented on; those of a page are left out. */
const PAGING = new Set(["cursor", "count", "sort", "from", "to", "cid"]);

/** Comments; each unfolds to its replies, which are asked for then. */
export function CommentList(props: {
  readonly comments: readonly Comment[];
  readonly params: Params;
  /** The endpoint of replies. */
  readonly replies?: string | undefined;
}) {
  return (
    <ul class="comments">
      {props.comments.map((comment) => (
        <li key={comment.cid}>
          <CommentItem {...props} comment={comment} />
        </li>
      ))}
    </ul>
  );
}

function CommentItem(props: {
  readonly comment: Comment;
  readonly params: Params;
  readonly replies?: string | undefined;
}) {
  const { comment, params, replies } = props;
  const [open, setOpen] = useState(false);
  const [below, setBelow] = useState<readonly Comment[]>();
  const [more, setMore] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  const { busy, run } = useOneAtATime();
  const count = comment.reply_count ?? 0;
  const load = async (cursor: number) => {
    if (replies === undefined) return;
    setFailure(undefined);
    const item = Object.entries(params).filter(([name]) => !PAGING.has(name));
    const asked = { ...Object.fromEntries(item), cid: comment.cid, count: "50", cursor: String(cursor) };
    try {
      const { data, error } = await send<CallAnswer>("POST", "call", { id: replies, params: asked });
      const page = data as { items: unknown[]; cursor: number; has_more: boolean } | null;
      if (error || page === null) throw new Error(error?.message ?? "The lake does not hold the replies");
      setBelow((before) => [...(cursor === 0 ? [] : (before ?? [])), ...page.items.filter(isComment)]);
      setMore(page.has_more ? page.cursor : undefined);
    } catch (caught) {
      setFailure(failureOf(caught));
    }
  };
  return (
    <article class="comment" aria-label={`Comment ${comment.cid}`}>
      <p class="comment-head">
        <strong dir="auto">{nameOf(comment)}</strong>
        {comment.created_at && <span class="muted">{instant(comment.created_at)}</span>}
        {comment.ip_location && <span class="muted">{comment.ip_location}</span>}
        {comment.likes !== undefined && <span class="muted">{short(comment.likes)} likes</span>}
        {comment.is_hot && <span class="tag">hot</span>}
      </p>
      {comment.text === "" ? (
        <p class="comment-text muted">no text</p>
      ) : (
        <p class="comment-text" dir="auto">
          {comment.text}
        </p>
      )}
      {count > 0 && replies !== undefined && (
        <button
          type="button"
          class="link"
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
            if (below === undefined) run(() => load(0));
          }}
        >
          {open ? "Fold" : "Unfold"} {count === 1 ? "1 reply" : `${short(count)} replies`}
        </button>
      )}
      {failure && <Failure failure={failure} />}
      {open && below && below.length === 0 && <p class="muted">The lake holds none of them.</p>}
      {open && below && <CommentList comments={below} params={params} replies={replies} />}
      {open && more !== undefined && (
        <Button class="link" off={busy} onClick={() => run(() => load(more))}>
          More replies
        </Button>
      )}
    </article>
  );
}

function nameOf({ author }: Comment): string {
  return author?.nickname || author?.uid_hash?.slice(0, 10) || "no name";
}

import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { errorValue } from "../contract/error-value.js";
import { UsageError } from "../contract/errors.js";
import { CountOption } from "../contract/option-schemas.js";
import { arrowRows, isArrowTable } from "./arrow-table-rows.js";
import { buildCommentTree, type CommentLike, type CommentNode, countNodes, walk } from "./comment-tree.js";
import { TREE_COMMENTS, TREE_OPEN_LEVELS } from "./defaults.js";
import { formatNumber, formatTime } from "./format-value.js";
import { html, type Markup } from "./markup.js";
import { createView, type View } from "./view.js";

type Comments = Iterable<CommentLike | Readonly<Record<string, unknown>>>;

/** Comments, rows of the view `comments`, a page of them, or an answer with such a page. */
export type CommentsLike =
  | Comments
  | { readonly items: Comments }
  | { readonly data: { readonly items: Comments } | null };

/** Options of {@link tree}. */
export interface TreeOptions {
  readonly title?: string;
  readonly note?: string;
  /** Maximum top-level comments shown, default 20; the foot has the total. */
  readonly limit?: number;
  /** Levels of replies open initially, default 2; the others open on a click, without a script. */
  readonly openLevels?: number;
}

/** Maximum nesting of lists; deeper comments follow at the last level, in order. */
const DEEPEST = 40;

const CommentsOption = z.custom<CommentsLike>(
  (value) => typeof value === "object" && value !== null,
  "must be comments, a page of them, or an answer",
);

const OPTIONS = optionsSchema<TreeOptions>(() => ({
  title: z.string().optional(),
  note: z.string().optional(),
  limit: CountOption.optional(),
  openLevels: CountOption.optional(),
}));

/**
 * Comments with their replies, nested (`replies`) or linked by `reply_to`. Replies whose parent is missing come last, under their
 * own heading.
 * @throws UsageError `not_a_comment` for an item without `cid` or `text`
 */
export function tree(comments: CommentsLike, options: TreeOptions = {}): View {
  checkArgument(CommentsOption, comments, "comments", "tree");
  checkOptions(OPTIONS, options, "tree");
  const { roots, orphans } = buildCommentTree(itemsOf(comments));
  const shown = roots.slice(0, options.limit ?? TREE_COMMENTS);
  const levels = options.openLevels ?? TREE_OPEN_LEVELS;
  const all = [...roots, ...orphans].reduce((sum, node) => sum + countNodes(node), 0);
  const count = (nodes: readonly CommentNode[]) => nodes.reduce((sum, node) => sum + countNodes(node), 0);
  const foot =
    all === 0
      ? "no comments"
      : `${formatNumber(shown.length)} of ${plural(roots.length, "comment")}, ${formatNumber(
          count(shown) + count(orphans),
        )} of ${formatNumber(all)} with replies`;
  const body = html`<div class="mirrorlake">${
    options.title === undefined ? undefined : html`<div class="ml-title" dir="auto">${options.title}</div>`
  }<ul class="ml-tree">${shown.map((node) => item(node, levels, 1))}</ul>${
    orphans.length === 0
      ? undefined
      : html`<details><summary>${plural(orphans.length, "reply", "replies")} to comments that are not here</summary><ul>${orphans.map(
          (node) => item(node, levels, 1),
        )}</ul></details>`
  }${options.note === undefined ? undefined : html`<div class="ml-note" dir="auto">${options.note}</div>`}<div class="ml-note">${foot}</div></div>`;
  const lines = [options.title, ...shown.flatMap((node) => plainLines(node)), options.note, foot];
  return createView(body, lines.filter((line) => line !== undefined).join("\n"));
}

function itemsOf(comments: CommentsLike): readonly CommentLike[] {
  if (isArrowTable(comments)) return arrowRows(comments).map(checked);
  if (Symbol.iterator in comments) return Array.from(comments, checked);
  const items = "items" in comments ? comments.items : (comments.data?.items ?? []);
  return Array.from(items, checked);
}

function checked(item: CommentLike | Readonly<Record<string, unknown>>): CommentLike {
  if (typeof item.cid === "string" && typeof item.text === "string") return item as CommentLike;
  throw new UsageError("not_a_comment", "A comment needs a cid and a text", {
    value: errorValue(item),
    remedy: "pass comments of an answer, or rows of SELECT * FROM comments",
  });
}

function item(node: CommentNode, openLevels: number, level: number): Markup {
  const { replies } = node;
  const body = saying(node);
  if (replies.length === 0) return html`<li>${body}</li>`;
  const count = countNodes(node) - 1;
  const open = level <= openLevels ? html` open` : undefined;
  const below = level < DEEPEST ? replies.map((reply) => item(reply, openLevels, level + 1)) : flat(node);
  return html`<li>${body}<details${open}><summary>${plural(count, "reply", "replies")}</summary><ul>${below}</ul></details></li>`;
}

/** All descendants of a node as one list. */
function flat(node: CommentNode): Markup[] {
  const [, ...below] = [...walk(node)];
  return below.map((each) => html`<li>${saying(each.node)}</li>`);
}

function saying(node: CommentNode): Markup {
  const { lang, text } = node.comment;
  const tag = lang == null || lang === "und" ? undefined : html` lang="${lang}"`;
  return html`<div class="ml-who">${facts(node)}</div><div class="ml-said" dir="auto"${tag}>${text}</div>`;
}

function facts({ comment, replies }: CommentNode): Markup[] {
  const missing = Number(comment.reply_count ?? 0) - replies.length;
  return [
    html`<b dir="auto">${authorOf(comment)}</b>`,
    ...(comment.likes ? [html`<span class="ml-count">${plural(comment.likes, "like")}</span>`] : []),
    ...(comment.created_at
      ? [html`<span class="ml-count">${formatTime(comment.created_at)} UTC</span>`]
      : []),
    ...(comment.ip_location ? [html`<span dir="auto">${comment.ip_location}</span>`] : []),
    ...(comment.is_hot === true ? [html`<span class="ml-badge">hot</span>`] : []),
    ...(missing > 0 ? [html`<span>${plural(missing, "reply", "replies")} not here</span>`] : []),
  ];
}

function plainLines(node: CommentNode): string[] {
  return Array.from(walk(node), ({ node: { comment }, depth }) => {
    const text = comment.text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
    const likes = !comment.likes ? "" : ` (${plural(comment.likes, "like")})`;
    return `${"  ".repeat(Math.min(depth, DEEPEST))}${authorOf(comment)}${likes}: ${text}`;
  });
}

/** The author's name, else the beginning of the author's hash. */
function authorOf({ author, author_uid_hash }: CommentLike): string {
  return author?.nickname || (author?.uid_hash ?? author_uid_hash ?? "").slice(0, 8) || "somebody";
}

function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${Number(count) === 1 ? one : many}`;
}

/** Columns of a tagged line. */
export interface TaggedLines {
  readonly separator: string;
  readonly token: number;
  readonly tag: number;
}

/** A sentence of tagged tokens. */
export interface TaggedSentence {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly entities: readonly { readonly type: string; readonly text: string }[];
}

/**
 * Parses the lines of one sentence, a token and its BIO tag each (CoNLL-2003 shared task: `B-` begins an entity, `I-` continues
 * it, `O` is outside; an `I-` after another type begins an entity).
 * @returns the sentence, or the reason its lines are invalid
 */
export function bioSentence(lines: readonly string[], columns: TaggedLines): TaggedSentence | string {
  const tokens: string[] = [];
  const entities: { type: string; text: string }[] = [];
  let open: { type: string; text: string } | undefined;
  for (const line of lines) {
    const parts = line.split(columns.separator);
    const token = parts[columns.token]?.trim();
    const tag = parts[columns.tag]?.trim();
    if (!token || !tag) return `${JSON.stringify(line.slice(0, 40))} has no token and tag`;
    tokens.push(token);
    const mark = /^([BI])-(.+)$/.exec(tag);
    if (mark === null) {
      if (tag !== "O") return `${JSON.stringify(tag.slice(0, 40))} is not a BIO tag`;
      open = undefined;
    } else if (mark[1] === "I" && open?.type === mark[2]) {
      open!.text += ` ${token}`;
    } else {
      open = { type: mark[2]!, text: token };
      entities.push(open);
    }
  }
  return { text: tokens.join(" "), tokens, entities };
}

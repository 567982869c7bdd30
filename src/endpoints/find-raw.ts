import type { RawItem } from "../contract/slice/slice-item.js";
import { storedForms } from "../slice/addressable-id.js";
import type { Corpus, RawFilter, RawPage, RawQuery } from "../store/corpus.js";

/** The raw item with a platform's own id, as it is asked for or in the form in which it is stored; undefined if there is none. */
export async function findRaw(
  corpus: Corpus,
  platform: string,
  resource: string,
  id: string,
): Promise<RawItem | undefined> {
  return firstFound(
    storedForms(id),
    (form) => corpus.raw(platform, resource, form),
    (item) => item !== undefined,
  );
}

/** A page of raw items; where the ids of its query find nothing, that of the forms in which they are stored. */
export async function findRawPage(corpus: Corpus, query: RawQuery): Promise<RawPage> {
  return firstFound(
    filtersOf(query),
    (filter) => corpus.rawPage(filter),
    ({ total }) => total > 0,
  );
}

/** A filter of raw items, then the same with its ids in each form in which they may be stored. */
export function filtersOf<Filter extends RawFilter>(filter: Filter): readonly Filter[] {
  const { parent, replyTo, author } = filter;
  const parents = parent === undefined ? [parent] : storedForms(parent);
  const answered = replyTo === undefined || replyTo === null ? [replyTo] : storedForms(replyTo);
  const authors = author === undefined ? [author] : storedForms(author);
  return parents.flatMap((p) =>
    answered.flatMap((r) => authors.map((a) => ({ ...filter, parent: p, replyTo: r, author: a }))),
  );
}

/** What the first of the forms finds; if none does, what the first one answers. */
export async function firstFound<Form, Answer>(
  forms: readonly Form[],
  ask: (form: Form) => Promise<Answer>,
  isFound: (answer: Answer) => boolean,
): Promise<Answer> {
  const [first, ...others] = forms;
  const answer = await ask(first!);
  if (isFound(answer)) return answer;
  for (const form of others) {
    const other = await ask(form);
    if (isFound(other)) return other;
  }
  return answer;
}

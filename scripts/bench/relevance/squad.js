import { readFile } from "node:fs/promises";

/**
 * Reads questions about paragraphs, in the format of SQuAD, as a judged collection: the paragraph that a question is about answers
 * it. Questions without an answer are left out, and of equal paragraphs all but the first.
 * @param {string} path
 * @param {string} name
 * @param {string} lang of all its paragraphs
 */
export async function readSquad(path, name, lang) {
  const { data } = JSON.parse(await readFile(path, "utf8"));
  /** @type {Map<string, string>} */
  const ids = new Map();
  const queries = [];
  for (const { context, qas } of data.flatMap(({ paragraphs }) => paragraphs)) {
    const id = ids.get(context) ?? String(ids.size);
    ids.set(context, id);
    for (const { question, is_impossible: impossible } of qas)
      if (!impossible)
        queries.push({ id: String(queries.length), text: question, lang, grades: new Map([[id, 1]]) });
  }
  const passages = Array.from(ids, ([text, id]) => ({ _id: id, lang, text }));
  return {
    name,
    async *passages() {
      yield passages;
    },
    queries,
  };
}

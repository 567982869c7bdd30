import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";

/** A text of a document: one field, or one entry of a field that is a list. */
export interface FieldText {
  readonly text: string;
  /** Weight of an occurrence. */
  readonly weight: number;
}

/** Returns the texts of a document in the order of positions. */
export function fieldTexts(document: IndexDocument): FieldText[] {
  const weights = SEARCH_DEFAULTS.fieldWeights;
  const texts: FieldText[] = [];
  const add = (text: string | undefined, weight: number) => {
    if (text !== undefined && text !== "") texts.push({ text, weight });
  };
  add(document.title, weights.title);
  add(document.text, weights.text);
  for (const text of document.entities ?? []) add(text, weights.entities);
  for (const text of document.comment_thread ?? []) add(text, weights.comment_thread);
  for (const text of document.review_sample ?? []) add(text, weights.review_sample);
  return texts;
}

/** Joins all texts of a document. */
export function documentText(document: IndexDocument): string {
  return fieldTexts(document)
    .map(({ text }) => text)
    .join("\n");
}

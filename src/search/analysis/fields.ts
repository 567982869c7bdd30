import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";

/** A text of a document: one field, or one entry of a field that is a list. */
export interface FieldText {
  readonly text: string;
  /** How much an occurrence in it counts. */
  readonly weight: number;
}

/** The texts of a document, in the order that positions run in. */
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

/** All texts of a document as one. */
export function documentText(document: IndexDocument): string {
  return fieldTexts(document)
    .map(({ text }) => text)
    .join("\n");
}

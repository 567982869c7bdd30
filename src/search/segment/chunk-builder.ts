import { fieldTexts } from "../analysis/fields.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import type { DocumentTexts } from "./analyzer.js";

/** A chunk of documents that is being gathered: its length does not depend on the threads. */
export class ChunkBuilder {
  private documents: DocumentTexts[] = [];
  private characters = 0;

  get size(): number {
    return this.documents.length;
  }

  /** Whether it holds what a chunk is to hold. */
  get full(): boolean {
    const { chunkDocuments, chunkCharacters } = SEARCH_DEFAULTS.analysis;
    return this.documents.length >= chunkDocuments || this.characters >= chunkCharacters;
  }

  /** Adds a document; `language` as {@link DocumentTexts} has it. */
  add(document: IndexDocument, language: number | undefined): void {
    const texts = fieldTexts(document);
    for (const { text } of texts) this.characters += text.length;
    this.documents.push({
      lang: document.lang,
      texts,
      language,
    });
  }

  /** The documents, for the next chunk to begin. */
  take(): DocumentTexts[] {
    const { documents } = this;
    this.documents = [];
    this.characters = 0;
    return documents;
  }
}

import { fieldTexts } from "../analysis/fields.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import type { DocumentTexts } from "./analyzer.js";

/** Collects a chunk of documents. Its size does not depend on the number of threads. */
export class ChunkBuilder {
  private documents: DocumentTexts[] = [];
  private characters = 0;

  get size(): number {
    return this.documents.length;
  }

  /** Whether the chunk is complete. */
  get full(): boolean {
    const { chunkDocuments, chunkCharacters } = SEARCH_DEFAULTS.analysis;
    return this.documents.length >= chunkDocuments || this.characters >= chunkCharacters;
  }

  /** Adds a document; `language` as in {@link DocumentTexts}. */
  add(document: IndexDocument, language: number | undefined): void {
    const texts = fieldTexts(document);
    for (const { text } of texts) this.characters += text.length;
    this.documents.push({
      lang: document.lang,
      texts,
      language,
    });
  }

  /** Returns the documents and starts the next chunk. */
  take(): DocumentTexts[] {
    const { documents } = this;
    this.documents = [];
    this.characters = 0;
    return documents;
  }
}

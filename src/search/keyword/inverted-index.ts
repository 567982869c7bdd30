/** Rows and weighted frequencies of every term of a segment, with the length of every row. */
export class InvertedIndex {
  readonly #postings = new Map<string, { rows: number[]; frequencies: number[] }>();
  readonly #lengths: number[] = [];
  #total = 0;

  get documentCount(): number {
    return this.#lengths.length;
  }

  get totalLength(): number {
    return this.#total;
  }

  /** Adds the next row: its terms with their weighted frequencies. */
  add(terms: ReadonlyMap<string, number>): void {
    const row = this.#lengths.length;
    let length = 0;
    for (const [term, frequency] of terms) {
      length += frequency;
      const list = this.#postings.get(term);
      if (list === undefined) this.#postings.set(term, { rows: [row], frequencies: [frequency] });
      else {
        list.rows.push(row);
        list.frequencies.push(frequency);
      }
    }
    this.#lengths.push(length);
    this.#total += length;
  }

  postings(term: string): { readonly rows: readonly number[]; readonly frequencies: readonly number[] } {
    return this.#postings.get(term) ?? { rows: [], frequencies: [] };
  }

  lengthOf(row: number): number {
    return this.#lengths[row] ?? 0;
  }

  serialize(): string {
    return JSON.stringify({
      lengths: this.#lengths,
      terms: [...this.#postings].map(([term, p]) => [term, p.rows, p.frequencies]),
    });
  }

  static parse(text: string): InvertedIndex {
    const { lengths, terms } = JSON.parse(text) as {
      lengths: number[];
      terms: [string, number[], number[]][];
    };
    const index = new InvertedIndex();
    for (const [term, rows, frequencies] of terms) index.#postings.set(term, { rows, frequencies });
    for (const length of lengths) {
      index.#lengths.push(length);
      index.#total += length;
    }
    return index;
  }
}

import type { ItemPlace } from "../contract/slice/slice-item.js";

/** The places that items come from, as cells of staged rows: the number of a file, and the line in it. */
export class ItemPlaces {
  private readonly files: string[] = [];
  private readonly numbers = new Map<string, number>();

  /** The cells of a place; null where none is given. */
  cells(at: ItemPlace | undefined): [file: number | null, line: number | null] {
    if (at === undefined) return [null, null];
    let number = this.numbers.get(at.file);
    if (number === undefined) {
      number = this.files.push(at.file) - 1;
      this.numbers.set(at.file, number);
    }
    return [number, at.line];
  }

  /** The place that {@link ItemPlaces.cells} made these cells of; undefined where none was given. */
  of(file: unknown, line: unknown): ItemPlace | undefined {
    return typeof file === "number" ? { file: this.files[file]!, line: line as number } : undefined;
  }
}

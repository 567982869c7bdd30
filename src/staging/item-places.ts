import type { ItemPlace } from "../contract/slice/slice-item.js";
import type { TableRow } from "../slice/column.js";

/** Columns of an item's place in a staged table, and their names alone. */
export const PLACE_COLUMNS = "at_file INTEGER, at_line BIGINT, at_element BIGINT";
export const PLACE = "at_file, at_line, at_element";

/** The cells of an item's place; all are null where none is given. */
export type PlaceCells = readonly [file: number | null, line: number | null, element: number | null];

/** The places that items come from, as cells of staged rows: the number of a file, the line in it, and the row of a JSON document (0: none). */
export class ItemPlaces {
  private readonly files: string[] = [];
  private readonly numbers = new Map<string, number>();

  /** The cells of a place; null where none is given. */
  cells(at: ItemPlace | undefined): PlaceCells {
    if (at === undefined) return [null, null, null];
    let number = this.numbers.get(at.file);
    if (number === undefined) {
      number = this.files.push(at.file) - 1;
      this.numbers.set(at.file, number);
    }
    return [number, at.line, at.element ?? 0];
  }

  /** The place that {@link ItemPlaces.cells} made these cells of; undefined where none was given. */
  of([file, line, element]: PlaceCells): ItemPlace | undefined {
    if (file === null || line === null) return undefined;
    return { file: this.files[file]!, line, element: element || undefined };
  }
}

/** The cells of the place in a staged row. */
export function placeCells({ at_file: file, at_line: line, at_element: element }: TableRow): PlaceCells {
  return [file, line, element] as unknown as PlaceCells;
}

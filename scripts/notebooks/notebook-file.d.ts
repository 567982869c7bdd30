/** A cell, as far as it is looked at here. */
export interface Cell {
  readonly id: string;
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly metadata?: unknown;
  readonly outputs?: readonly unknown[];
}

export interface Notebook {
  readonly cells: readonly Cell[];
}

export function cleaned(notebook: Notebook): Notebook;
export function written(notebook: Notebook): string;
export function faults(notebook: Notebook): string[];

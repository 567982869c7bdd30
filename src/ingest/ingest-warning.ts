/**
 * What a mapping says and the input does not bear out. No row is rejected for it, but a field is empty where it need not be:
 *
 * - `path_absent`: a path leads to nothing in any row, element or group in which it was looked for;
 * - `template_incomplete`: a template has no value in some rows, because one of its paths has none there;
 * - `list_cut`: a field of one value is given lists of several, of which the first is kept;
 * - `field_added`: rows of a file have fields that no rule takes, and that the source's first file has not, or its `left_out`;
 * - `not_finite`: numbers of some rows are NaN or infinite; the field, or the member of its list or object, is empty there.
 */
export interface IngestWarning {
  readonly kind: "path_absent" | "template_incomplete" | "list_cut" | "not_finite" | "field_added";
  /** The field of the record or item; `when`, `each`, `join` for a path that is of none. */
  readonly field: string;
  /** Where it stands in the mapping: `rules[0].record.fields.text.path`. */
  readonly place: string;
  /** The path or the template; the file that has more fields. */
  readonly value: string;
  /** Rows in which the path was looked for, the template left empty, the list cut, or a number left out; 0 for fields. */
  readonly rows: number;
  /**
   * Paths that the rows do have and that were perhaps meant, likeliest first; of a template, the paths that were empty; of a file, the
   * fields that it has more; else none.
   */
  readonly names: readonly string[];
  /** All of it in a sentence. */
  readonly message: string;
}

/** Types of parameters, as ClickHouse names them. */
export type ParameterType =
  | "String"
  | "UInt64"
  | "Int64"
  | "Float64"
  | "Array(String)"
  | "Array(UInt16)"
  | "Array(UInt32)"
  | "Array(UInt64)"
  | "Array(Int16)"
  | "Array(Float32)"
  | "Array(Float64)";

/** The parameters of one statement: values are never part of its text. */
export class SqlParameters {
  /** By name. */
  readonly values: Record<string, unknown> = {};
  private count = 0;

  /** Adds a value; returns what stands for it in the text. */
  add(type: ParameterType, value: unknown): string {
    const name = `p${this.count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }
}

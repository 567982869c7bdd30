import { toNumber, toText } from "../values/convert.js";
import { FieldError } from "../values/field-error.js";
import { type Path, parsePath, readPath } from "../values/path.js";
import { parseTimeFormat, type TimeFormat, type TimeReference } from "../values/time-format.js";
import { timeText } from "../values/time-text.js";
import { parseZone, type Zone } from "../values/zone.js";

const PATHS = new Map<string, Path>();
const ZONES = new Map<string, Zone>();

function pathOf(text: string): Path {
  let path = PATHS.get(text);
  if (path === undefined) {
    path = parsePath(text, "adapter");
    PATHS.set(text, path);
  }
  return path;
}

/** The zone of a name that is one; each is parsed once. */
export function zoneOf(name: string): Zone {
  let zone = ZONES.get(name);
  if (zone === undefined) {
    zone = parseZone(name)!;
    ZONES.set(name, zone);
  }
  return zone;
}

const FORMATS = new Map<string, TimeFormat>();

/** The time format of a text that is one; each is parsed once. */
export function formatOf(text: string): TimeFormat {
  let format = FORMATS.get(text);
  if (format === undefined) {
    format = parseTimeFormat(text)!;
    FORMATS.set(text, format);
  }
  return format;
}

/**
 * Typed reading of a source row by path. Of several paths, the first with a value is used; null and empty text count as no
 * value. Every method throws a FieldError that names the path if the value does not fit.
 */
export class Fields {
  private readonly row: unknown;

  /** @throws FieldError if the row is not an object */
  constructor(row: unknown) {
    if (row === null || typeof row !== "object" || Array.isArray(row)) {
      throw new FieldError("", "is not an object", row);
    }
    this.row = row;
  }

  /** The value, unconverted. */
  value(...paths: readonly string[]): unknown {
    for (const path of paths) {
      const value = readPath(this.row, pathOf(path));
      if (value !== undefined && value !== null && value !== "") return value;
    }
    return undefined;
  }

  /** Cleaned text; undefined if missing or blank. */
  text(...paths: readonly string[]): string | undefined {
    const value = this.value(...paths);
    return value === undefined ? undefined : toText(value, paths[0]!) || undefined;
  }

  /** Required text. */
  need(...paths: readonly string[]): string {
    const text = this.text(...paths);
    if (text === undefined) throw new FieldError(paths[0]!, "is missing");
    return text;
  }

  /** A finite number. */
  number(...paths: readonly string[]): number | undefined {
    const value = this.value(...paths);
    return value === undefined ? undefined : toNumber(value, false, paths[0]!, {});
  }

  /** A non-negative integer. */
  count(...paths: readonly string[]): number | undefined {
    const value = this.value(...paths);
    if (value === undefined) return undefined;
    const count = toNumber(value, true, paths[0]!, {});
    if (count < 0) throw new FieldError(paths[0]!, "is below 0", value);
    return count;
  }

  /** A boolean; undefined for any other value. */
  flag(...paths: readonly string[]): boolean | undefined {
    const value = this.value(...paths);
    return typeof value === "boolean" ? value : undefined;
  }

  /** The items of a list; empty for any other value. */
  list(...paths: readonly string[]): readonly unknown[] {
    const value = this.value(...paths);
    return Array.isArray(value) ? value : [];
  }

  /** Distinct non-blank texts of a list, or of a path with `[]`. */
  texts(path: string): string[] {
    const texts = this.list(path).flatMap((item) =>
      typeof item === "string" ? toText(item, path) || [] : [],
    );
    return [...new Set(texts)];
  }

  /** ISO 8601 text of a time in one of the formats. `zone` applies to times without one; default UTC. */
  time(
    path: string,
    formats: readonly string[],
    options: { zone?: string; reference?: TimeReference } = {},
  ): string | undefined {
    const value = this.value(path);
    if (value === undefined) return undefined;
    const zone = zoneOf(options.zone ?? "UTC");
    for (const format of formats) {
      const instant = formatOf(format).parse(value, zone, options.reference);
      if (instant !== undefined) return timeText(instant, path, value);
    }
    throw new FieldError(path, `is not a time of format ${formats.join(" or ")}`, value);
  }
}

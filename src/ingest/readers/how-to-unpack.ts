import { basename } from "node:path";

const ARCHIVE = /\.(?:tar(?:\.[a-z\d]+)?|tgz|tbz2?|txz|tzst)$/i;

/** Programs that decompress to standard output, by extension. */
const DECOMPRESSORS: readonly (readonly [RegExp, string])[] = [
  [/\.zst$/i, "zstd -dc"],
  [/\.bz2$/i, "bzip2 -dc"],
  [/\.xz$/i, "xz -dc"],
  [/\.lz4$/i, "lz4 -dc"],
];

/** Formats that are not read, by extension, and what they can be made of them. */
const CONVERTED: readonly (readonly [RegExp, string])[] = [
  [/\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i, "save each of its sheets as CSV first"],
  [/\.(?:arrow|arrows|feather|ipc|orc|avro)$/i, "convert it to Parquet first"],
  [/\.(?:warc|wet|wat|arc)(?:\.gz)?$/i, "take its pages or texts out as JSON lines first"],
  [/\.(?:xml|rss|atom|wxr|html?)(?:\.gz)?$/i, "convert it to CSV, JSON or JSON lines first"],
  [/\.(?:db|db3|sqlite3?|duckdb|mdb|accdb)$/i, "export its tables as CSV or Parquet first"],
];

/** Names that a shell takes as they are. */
const PLAIN = /^[\w.][\w.-]*$/;

/** How a file of a format that is not read becomes one that is, by its extension. Undefined for any other file. */
export function howToConvert(path: string): string | undefined {
  return CONVERTED.find(([pattern]) => pattern.test(path))?.[1];
}

/** How a file that is compressed or packed in a way that is not read is unpacked, by its extension. Undefined for any other file. */
export function howToUnpack(path: string): string | undefined {
  const name = basename(path);
  const written = PLAIN.test(name) ? name : "<file>";
  if (ARCHIVE.test(name)) return `unpack it first, for example \`tar -xf ${written}\``;
  if (/\.(?:zip|gz)\.gz$/i.test(name)) return `decompress it once first, for example \`gunzip ${written}\``;
  const found = DECOMPRESSORS.find(([pattern]) => pattern.test(name));
  if (found === undefined) return undefined;
  const inside = PLAIN.test(name) ? name.replace(found[0], "") : "<unpacked file>";
  return `decompress it first, for example \`${found[1]} ${written} > ${inside}\``;
}

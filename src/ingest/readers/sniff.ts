import type { ReadOptions as SourceReadOptions } from "../adapters/source-spec.js";
import { ingestError } from "../ingest-error.js";
import { foreignText } from "./foreign-text.js";
import { howToConvert, howToUnpack } from "./how-to-unpack.js";

/** Format of a file. */
export type Format = SourceReadOptions["as"];

const BINARY: readonly { name: string; extension: string; magic: readonly number[] }[] = [
  { name: "gzip data", extension: ".gz", magic: [0x1f, 0x8b] },
  { name: "a zip archive", extension: ".zip", magic: [0x50, 0x4b, 0x03, 0x04] },
  { name: "Zstandard data", extension: ".zst", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "bzip2 data", extension: ".bz2", magic: [0x42, 0x5a, 0x68] },
  { name: "xz data", extension: ".xz", magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: "a Parquet file", extension: ".parquet", magic: [0x50, 0x41, 0x52, 0x31] },
  { name: "an Arrow file", extension: ".arrow", magic: [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31] },
  { name: "a SQLite database", extension: ".db", magic: [...Buffer.from("SQLite format 3\0")] },
  {
    name: "a spreadsheet or document of old Office",
    extension: ".xls",
    magic: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  },
  { name: "a PDF document", extension: ".pdf", magic: [0x25, 0x50, 0x44, 0x46, 0x2d] },
];

const EXTENSIONS: readonly (readonly [RegExp, Format])[] = [
  [/\.(jsonl|ndjson|jsonlines)$/i, "jsonl"],
  [/\.json$/i, "json"],
  [/\.(csv|tsv|tab)$/i, "csv"],
  [/\.(parquet|pq)$/i, "parquet"],
];

/** The format of a file's extension (without `.gz`), if it is known. */
export function formatByName(name: string): Format | undefined {
  return EXTENSIONS.find(([pattern]) => pattern.test(name))?.[1];
}

/** The delimiter of a delimited file, by its extension. */
export function delimiterByName(name: string): string {
  return /\.(tsv|tab)$/i.test(name) ? "\t" : ",";
}

/**
 * Checks a file's first bytes, decompressed, against its expected format.
 *
 * @param head the file's first bytes, or all of a shorter file
 * @throws IngestError if the content is clearly of another format
 */
export function checkContent(head: Buffer, format: Format, file: string): void {
  const binary = BINARY.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
  if (format === "parquet") {
    if (binary?.extension === ".parquet") return;
    const is = binary === undefined ? "is no Parquet file" : `is ${binary.name}, not a Parquet file`;
    throw ingestError(
      "wrong_format",
      { file },
      `${is} (it does not start with PAR1)`,
      "rename it to what it is, or fetch it again",
    );
  }
  if (binary !== undefined) {
    throw ingestError(
      "wrong_format",
      { file },
      `is ${binary.name}, not text`,
      remedyFor(binary.extension, file),
    );
  }
  const encoding = wideEncoding(head);
  if (encoding !== undefined) {
    throw ingestError(
      "wrong_encoding",
      { file },
      `is ${encoding} text, not UTF-8`,
      `convert it, for example \`iconv -f ${encoding} -t UTF-8\``,
    );
  }
  const text = head.toString("utf8").replace(/^\ufeff?\s+|^\ufeff/, "");
  const foreign = format === "csv" || format === "json" ? foreignText(text) : undefined;
  if (foreign !== undefined) throw ingestError("wrong_format", { file, line: 1 }, foreign.is, foreign.remedy);
  if (format === "json" && !/^[[{]/.test(text) && text !== "") {
    const start = JSON.stringify(text.slice(0, 24).split("\n", 1)[0]);
    throw ingestError(
      "wrong_format",
      { file, line: 1 },
      `is not JSON, it starts with ${start}`,
      "rename it to what it is (.csv, .tsv), or name its format in the mapping",
    );
  }
  if (format === "csv" && looksLikeJson(text)) {
    throw ingestError(
      "wrong_format",
      { file, line: 1 },
      "is JSON, not delimited text",
      "rename it to end in .json or .jsonl, or name its format in the mapping",
    );
  }
}

/** What to do with a file whose content is of another format, which has this extension. */
function remedyFor(extension: string, file: string): string {
  // A spreadsheet is a zip archive, and not one of rows.
  const converted = howToConvert(file) ?? howToConvert(extension);
  if (converted !== undefined) return converted;
  if ([".gz", ".zip", ".parquet"].includes(extension)) return `rename it to end in ${extension}`;
  return howToUnpack(`<file>${extension}`) ?? "convert it first";
}

/** Detects UTF-16 and UTF-32 by the byte order mark, or by NUL in every other byte. */
function wideEncoding(head: Buffer): string | undefined {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "UTF-32LE" : "UTF-16LE";
  if (a === 0xfe && b === 0xff) return "UTF-16BE";
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "UTF-32BE";
  const sample = head.subarray(0, 512);
  const nuls = [0, 0];
  sample.forEach((byte, i) => {
    if (byte === 0) nuls[i % 2]!++;
  });
  const half = sample.length / 2;
  if (sample.length < 4 || nuls[0]! + nuls[1]! < half * 0.4) return undefined;
  if (nuls[0] === 0) return "UTF-16LE";
  return nuls[1] === 0 ? "UTF-16BE" : undefined;
}

/** Whether the first line is a whole JSON object, or the text opens an array of objects. */
function looksLikeJson(text: string): boolean {
  if (/^\[\s*\{\s*"/.test(text)) return true;
  if (!text.startsWith("{")) return false;
  if (/^\{\s*\n\s*"/.test(text)) return true;
  try {
    JSON.parse(text.split("\n", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

import { basename } from "node:path";

const ARCHIVE = /\.(?:tar(?:\.[a-z\d]+)?|tgz|tbz2?|txz|tzst)$/i;

/** Programs that decompress to standard output, by extension. */
const DECOMPRESSORS: readonly (readonly [RegExp, string])[] = [
  [/\.zst$/i, "zstd -dc"],
  [/\.bz2$/i, "bzip2 -dc"],
  [/\.xz$/i, "xz -dc"],
  [/\.lz4$/i, "lz4 -dc"],
];

/** Names that a shell takes as they are. */
const PLAIN = /^[\w.][\w.-]*$/;

/** How a file that is compressed or packed in a way that is not read is unpacked, by its extension. Undefined for any other file. */
export function howToUnpack(path: string): string | undefined {
  const name = basename(path);
  const written = PLAIN.test(name) ? name : "<file>";
  if (ARCHIVE.test(name)) return `unpack it first, for example \`tar -xf ${written}\``;
  const found = DECOMPRESSORS.find(([pattern]) => pattern.test(name));
  if (found === undefined) return undefined;
  const inside = PLAIN.test(name) ? name.replace(found[0], "") : "<unpacked file>";
  return `decompress it first, for example \`${found[1]} ${written} > ${inside}\``;
}

import { basename } from "node:path";
import { compileMapping } from "../mapping/compile.js";
import type { MappingDocument } from "../mapping/form/schema.js";
import type { ValueSpec } from "../mapping/form/value-spec.js";
import { type GuessedSource, guessSource } from "./guess-source.js";
import type { LeftOut } from "./left-out.js";
import { type Sample, sampleRows } from "./sample-rows.js";
import { withLeftOut } from "./with-left-out.js";

/** A mapping to start from. */
export interface GuessedMapping {
  readonly mapping: MappingDocument;
  /** What to check before using it. */
  readonly doubts: readonly string[];
  /** Fields of the rows looked at that the mapping does not name, and why. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Looks at the first rows of a file of any shape, or of the files of a folder or an archive, and writes a mapping to start from: a source
 * for each shape. Names and values of the fields decide; what is not sure is listed, and what is left out. The mapping is valid: it can be
 * used, and edited.
 * @throws IngestError for a file that cannot be read
 */
export async function guessMapping(path: string, signal?: AbortSignal): Promise<GuessedMapping> {
  const { samples, doubts: ofFiles } = await sampleRows(path, signal);
  const names = sourceNames(samples);
  const guesses = samples.map(({ rows }) => guessSource(rows));
  const several = guesses.length > 1;
  const of = (i: number, text: string) => (several ? `${names[i]}: ${text}` : text);
  const doubts = [
    ...ofFiles,
    ...guesses.flatMap((guess, i) => [...samples[i]!.doubts, ...guess.doubts].map((doubt) => of(i, doubt))),
    'licence: "unknown" is written; say what the data may be used for',
  ];
  const counting = several ? undefined : guesses.find(({ id }) => id.isCount);
  if (counting !== undefined)
    doubts.push(
      `id: ${counting.id.used[0]!.path} has low numbers, as other data have too: ${nameOf(path)}- stands before it`,
    );
  const leftOut = guesses.flatMap((guess, i) =>
    guess.leftOut.map(({ path: field, reason }) => ({ path: of(i, field), reason })),
  );
  const mapping: MappingDocument = {
    mapping: 1,
    name: nameOf(path),
    info: { title: titleOf(path), licence: "unknown" },
    sources: samples.map(({ files, read }, i) => {
      const { parseJson } = guesses[i]!;
      const parse_json = parseJson.length === 0 ? undefined : [...parseJson];
      return { name: names[i]!, files: [...files], read, parse_json };
    }),
    defaults: several ? undefined : sharedOf(guesses[0]!),
    rules: guesses.map(({ id, fields, ...guess }, i) => {
      const shared = several ? sharedOf(guess) : undefined;
      return {
        from: names[i]!,
        when: samples[i]!.when === undefined ? undefined : [samples[i]!.when],
        record: {
          ...shared,
          id: several ? idAmong(names[i]!, id.spec) : counting ? idAmong(nameOf(path), id.spec) : id.spec,
          fields: { ...fields },
        },
      };
    }),
  };
  const plain = withLeftOut(JSON.parse(JSON.stringify(mapping)) as MappingDocument, samples);
  compileMapping(plain);
  return { mapping: plain, doubts, leftOut };
}

function sharedOf({ platform, lang, capturedAt }: Pick<GuessedSource, "platform" | "lang" | "capturedAt">) {
  return { platform, lang, captured_at: capturedAt };
}

/** Ids of several sources, or of data that count their rows, differ by a name. */
function idAmong(source: string, id: ValueSpec): ValueSpec {
  return typeof id === "string" && !/[{}]/.test(id) ? { template: `${source}-{${id}}` } : id;
}

/** Names for sources: those of their files, as far as they may be. */
function sourceNames(samples: readonly Sample[]): readonly string[] {
  if (samples.length === 1) return ["rows"];
  const names: string[] = [];
  for (const { name } of samples) {
    const plain = /^\.?[^.]*/
      .exec(basename(name))![0]
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^[^a-z]+|_+$/g, "")
      .slice(0, 30);
    const base = plain === "" ? "rows" : plain;
    let free = base;
    for (let n = 2; names.includes(free); n++) free = `${base}_${n}`;
    names.push(free);
  }
  return names;
}

function titleOf(path: string): string {
  return basename(path)
    .replace(/\.gz$/i, "")
    .replace(/\.[A-Za-z0-9]+$/, "");
}

function nameOf(path: string): string {
  const name = titleOf(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 64);
  return name === "" ? "my-data" : name;
}

import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";

const Id = z.union([z.string(), z.number()]).transform(String);

const CorpusLine = z.object({
  _id: Id,
  title: z.string().nullish(),
  text: z.string().nullish(),
  lang: z.string().nullish(),
});
/** A passage of a collection. */
export type Passage = z.infer<typeof CorpusLine>;

const QueryLine = z.object({ _id: Id, text: z.string(), lang: z.string().nullish() });

/** A query with its judgments: grade by passage id. */
export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  readonly lang?: string;
  readonly grades: ReadonlyMap<string, number>;
}

/**
 * Reads the passages of a collection in BEIR's format, in batches.
 * @throws SearchError `beir_unreadable`; `beir_repeated_id` for an id of two passages: it would count twice
 */
export async function* readPassages(dir: string): AsyncGenerator<Passage[]> {
  let batch: Passage[] = [];
  const seen = new Set<string>();
  for await (const line of lines(join(dir, "corpus.jsonl"))) {
    const passage = parse(CorpusLine, line);
    refuseRepeated(passage._id, seen, line);
    batch.push(passage);
    if (batch.length < 1000) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Reads the queries that have a relevant passage, in file order. Judgments come from `qrels/test.tsv`, or from the only
 * file there.
 * @throws SearchError `beir_unreadable`; `beir_repeated_id` for an id of two queries; `beir_unjudged` if no query has a relevant
 *   passage
 */
export async function readJudgedQueries(dir: string): Promise<JudgedQuery[]> {
  const path = await judgmentsFile(dir);
  const judgments = await readJudgments(path);
  const queries: JudgedQuery[] = [];
  const seen = new Set<string>();
  for await (const line of lines(join(dir, "queries.jsonl"))) {
    const { _id: id, text, lang } = parse(QueryLine, line);
    refuseRepeated(id, seen, line);
    const grades = judgments.get(id);
    if (grades === undefined || ![...grades.values()].some((grade) => grade > 0)) continue;
    queries.push({ id, text, grades, lang: lang ?? undefined });
  }
  if (queries.length > 0) return queries;
  throw new SearchError("beir_unjudged", `no query of queries.jsonl has a grade above 0 in ${path}`, {
    value: path,
    remedy: "judge a query, or give the judgments of these queries",
  });
}

function refuseRepeated(id: string, seen: Set<string>, { path, number }: Line): void {
  if (seen.has(id))
    throw new SearchError(
      "beir_repeated_id",
      `${path}:${number}: the _id ${id.slice(0, 200)} is on an earlier line too`,
      {
        value: id,
        remedy: "give each line an _id of its own, or remove the repeated line",
      },
    );
  seen.add(id);
}

async function judgmentsFile(dir: string): Promise<string> {
  const folder = join(dir, "qrels");
  const names = (await readdir(folder).catch((cause) => Promise.reject(unreadable(folder, cause)))).filter(
    (name) => name.endsWith(".tsv"),
  );
  const name = names.includes("test.tsv") ? "test.tsv" : names.length === 1 ? names[0] : undefined;
  if (name === undefined) throw unreadable(folder, new Error(`no test.tsv among ${names.length} files`));
  return join(folder, name);
}

async function readJudgments(path: string): Promise<Map<string, Map<string, number>>> {
  const judgments = new Map<string, Map<string, number>>();
  let header = true;
  for await (const { text } of lines(path)) {
    const [query, passage, grade] = text.split("\t");
    if (header && !Number.isFinite(Number(grade))) {
      header = false;
      continue;
    }
    header = false;
    if (!query || !passage || !Number.isFinite(Number(grade))) {
      throw unreadable(path, new Error(`not a judgment: ${text.slice(0, 200)}`));
    }
    const grades = judgments.get(query) ?? new Map<string, number>();
    grades.set(passage, Number(grade));
    judgments.set(query, grades);
  }
  return judgments;
}

interface Line {
  readonly path: string;
  readonly number: number;
  readonly text: string;
}

async function* lines(path: string): AsyncGenerator<Line> {
  let number = 0;
  try {
    for await (const text of createInterface({
      input: createReadStream(path),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number += 1;
      if (text.trim() !== "") yield { path, number, text };
    }
  } catch (cause) {
    throw cause instanceof SearchError ? cause : unreadable(path, cause);
  }
}

function parse<T>(schema: z.ZodType<T>, { path, number, text }: Line): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw unreadable(`${path}:${number}`, cause);
  }
}

function unreadable(value: string, cause: unknown): SearchError {
  return new SearchError("beir_unreadable", `not a collection in BEIR's format: ${value}`, {
    value,
    remedy: "give a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv",
    cause,
  });
}

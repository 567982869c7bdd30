import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";
import { ruleText } from "../../contract/rule-text.js";

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

/** What is judged of a collection. */
export interface Judged {
  /** The queries that have a relevant passage, in file order. */
  readonly queries: readonly JudgedQuery[];
  /** Queries without a relevant passage. */
  readonly unjudged: number;
  /** Judgments of all queries. */
  readonly judgments: number;
  /** Judgments of queries that `queries.jsonl` does not have. */
  readonly ofUnknownQueries: number;
  /** Judgments of the other queries by passage id. */
  readonly byPassage: ReadonlyMap<string, number>;
}

/**
 * Reads queries and judgments of a collection in BEIR's format. Judgments come from `qrels/test.tsv`, or from the only file there.
 * @throws SearchError `beir_unreadable`; `beir_repeated_id` for an id of two queries; `beir_unjudged` if no query has a relevant
 *   passage
 */
export async function readJudged(dir: string): Promise<Judged> {
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
  if (queries.length > 0)
    return { queries, unjudged: seen.size - queries.length, ...counted(judgments, seen) };
  throw new SearchError("beir_unjudged", `no query of queries.jsonl has a grade above 0 in ${path}`, {
    value: path,
    remedy: "judge a query, or give the judgments of these queries",
  });
}

function counted(
  judgments: ReadonlyMap<string, ReadonlyMap<string, number>>,
  queries: ReadonlySet<string>,
): Omit<Judged, "queries" | "unjudged"> {
  const byPassage = new Map<string, number>();
  let all = 0;
  let ofUnknownQueries = 0;
  for (const [query, grades] of judgments) {
    all += grades.size;
    if (queries.has(query))
      for (const passage of grades.keys()) byPassage.set(passage, (byPassage.get(passage) ?? 0) + 1);
    else ofUnknownQueries += grades.size;
  }
  return { judgments: all, ofUnknownQueries, byPassage };
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
  const places = new Map<string, number>();
  let header = true;
  for await (const line of lines(path)) {
    const [query, passage, score] = line.text.split("\t");
    const grade = score === undefined || score.trim() === "" ? Number.NaN : Number(score);
    if (header && score !== undefined && score.trim() !== "" && !Number.isFinite(grade)) {
      header = false;
      continue;
    }
    header = false;
    if (!query || !passage || !Number.isFinite(grade))
      throw notJudgment(line, `not a query, a passage and a number: ${line.text.slice(0, 200)}`);
    const grades = judgments.get(query) ?? new Map<string, number>();
    const place = `${query}\t${passage}`;
    if (grades.has(passage) && grades.get(passage) !== grade)
      throw notJudgment(line, `line ${places.get(place)} gives the passage another grade for the query`);
    places.set(place, line.number);
    grades.set(passage, grade);
    judgments.set(query, grades);
  }
  return judgments;
}

function notJudgment({ path, number }: Line, reason: string): SearchError {
  return new SearchError("beir_unreadable", `not a judgment: ${path}:${number}: ${reason}`, {
    value: `${path}:${number}`,
    remedy: "give the query's _id, the passage's _id and one grade, a number, separated by tabs",
  });
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
  const reason = cause instanceof z.ZodError ? ruleText(cause.issues) : (cause as Error).message;
  return new SearchError("beir_unreadable", `not a collection in BEIR's format: ${value}: ${reason}`, {
    value,
    remedy: "give a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv",
    cause,
  });
}

import type { ValueSpec } from "../mapping/form/value-spec.js";
import { TARGETS } from "./field-names.js";
import { isLong, isOfPicture, LONG_TEXT, takeLongest } from "./guess-words.js";
import type { LeftOut } from "./left-out.js";
import type { Profile } from "./profile.js";
import { goesWith, type Take, takeInstead, takeRare, wholeName } from "./take-fields.js";
import { isRun, PIECE } from "./text-runs.js";

const NAMES = new Map(
  TARGETS.filter(({ field }) => field === "title" || field === "text").map((target) => [
    target.field,
    target,
  ]),
);
const TITLES: readonly string[] = NAMES.get("title")!.names;
const NAME_OF_AUTHOR =
  "the same in all rows of an author, so the author's name, which is personal data; name it if you may keep it";

/** The fields that the words of a record come from: of several, the first that has something. */
export type Words = Map<"title" | "text", readonly [Profile, ...Profile[]]>;

/** Finds the title and the text of the rows. */
export class WordFinder {
  readonly words: Words = new Map();
  /** Fields that are no titles though they are called so. */
  readonly leftOut: LeftOut[] = [];
  /** Depth of the long text nearest to the row. */
  private readonly nearest: number;

  constructor(
    private readonly profiles: readonly Profile[],
    private readonly used: Set<Profile>,
    private readonly rows: readonly unknown[],
    private readonly author: Profile | undefined,
    private readonly doubts: string[],
  ) {
    this.nearest = Math.min(...profiles.filter(isLong).map(({ depth }) => depth));
  }

  /** Takes fields of most rows by their names. */
  takeNamed(take: Take): void {
    for (const [field, { names, fits }] of NAMES) {
      const found = take(names, (each) => fits(each) && this.mayBe(each), true);
      if (found === undefined) continue;
      if (this.isAuthors(found)) this.leftOut.push({ path: found.path, reason: NAME_OF_AUTHOR });
      else this.words.set(field as "title" | "text", [found]);
    }
  }

  /**
   * Takes what else is words, once all other fields are taken: long texts, fields of few rows, and fields that have something where
   * those taken have nothing.
   * @param word a field that stands in for an id
   */
  takeOthers(word: Profile | undefined): void {
    if (!this.words.has("text")) {
      const found = takeLongest(this.profiles, this.used, LONG_TEXT, this.doubts) ?? this.takeRare("text");
      if (found !== undefined) this.words.set("text", [found]);
    }
    if (!this.words.has("title")) {
      const found = this.takeRare("title") ?? this.takeWord(word);
      if (found !== undefined) this.words.set("title", [found]);
    }
    // A row without any words is no record.
    if (this.words.size === 0) {
      const found = takeLongest(this.profiles, this.used, 1, this.doubts);
      if (found !== undefined) this.words.set("text", [found]);
      else
        this.doubts.push("text and title: no field looks like words; name one, or search will find little");
    }
    for (const [field, [first]] of [...this.words]) this.addInstead(field, first);
  }

  /** Whether a field may be words by what it is of: no person, and no object beside the words, such as a place. */
  private mayBe(field: Profile): boolean {
    if (field.person !== undefined || isOfPicture(field)) return false;
    const isOfOther = field.endings.includes("name") && field.depth > this.nearest;
    return !isOfOther || TITLES.includes(wholeName(field));
  }

  private isAuthors(field: Profile): boolean {
    return field.name === "name" && this.author !== undefined && goesWith(this.author, field, this.rows);
  }

  private isWords(field: Profile): boolean {
    const { kind, coded, tokens } = field;
    return kind === "text" && !coded && !tokens && this.mayBe(field) && !this.isAuthors(field);
  }

  private takeRare(field: "title" | "text"): Profile | undefined {
    const { names } = NAMES.get(field)!;
    return takeRare(this.profiles, this.used, names, (each) => this.isWords(each));
  }

  /** Names that tell rows apart are titles, if nothing else is. */
  private takeWord(word: Profile | undefined): Profile | undefined {
    if (word === undefined || word.tokens || this.used.has(word)) return undefined;
    this.used.add(word);
    this.doubts.push(`title: ${word.path} differs in each row, and nothing else looks like a title`);
    return word;
  }

  private addInstead(field: "title" | "text", first: Profile): void {
    const { names } = NAMES.get(field)!;
    const isWords = (each: Profile) => this.isWords(each);
    const found = takeInstead(this.profiles, this.used, names, isWords, first, this.rows);
    if (found === undefined) return;
    this.words.set(field, [first, found]);
    this.doubts.push(`${field}: ${found.path} in rows without ${first.path}`);
  }
}

/** The words of a field, or of the first that has some. */
export function wordsSpec(
  field: string,
  first: Profile,
  others: readonly Profile[],
  inPieces: ReadonlySet<string>,
  doubts: string[],
): ValueSpec {
  const all = [first, ...others];
  const path = others.length === 0 ? first.path : all.map((profile) => profile.path);
  const pieces = all.find((profile) => inPieces.has(profile.path));
  if (pieces !== undefined) {
    doubts.push(`${field}: the pieces of ${pieces.path} are put together`);
    return { path, member: PIECE, join: "" };
  }
  const absent = [...new Set(all.flatMap((profile) => profile.absent))];
  if (isRun(first.path)) {
    doubts.push(`${field}: the texts of ${first.path.replace(/\[0\][^[]*$/, "")} are put together`);
    return { path: first.path.replace(/\[0\]([^[]*)$/, "[]$1"), join: "" };
  }
  const html =
    all.find((profile) => profile.html === "text")?.html ?? all.find((profile) => profile.html)?.html;
  if (html === undefined && absent.length === 0) return typeof path === "string" ? path : { path };
  if (html === undefined) return { path, absent };
  doubts.push(
    `${field}: HTML in ${first.path} is decoded (\`"html": "${html}"\`), which moves what follows it`,
  );
  return absent.length === 0 ? { path, html } : { path, absent, html };
}

import { join } from "node:path";
import { SearchError } from "../../contract/errors.js";
import { OpenFile } from "../../files/open-file.js";
import { readWhole } from "../../files/read-whole.js";
import type { ReadableBytes } from "../../files/readable-bytes.js";
import { KEYWORD_FILES } from "./format.js";
import { type KeywordManifest, readKeywordManifest } from "./keyword-manifest.js";
import { DensePostings, isDense } from "./postings/dense-postings.js";
import { DenseCursor, type PostingCursor, SparseCursor } from "./postings/posting-cursor.js";
import type { PostingList } from "./postings/posting-list.js";
import { SparsePostings } from "./postings/sparse-postings.js";
import { type Extent, TermDictionary, type TermEntry } from "./terms/term-dictionary.js";

/** The parts of a keyword index, as {@link KEYWORD_FILES} has them. */
export interface KeywordParts {
  readonly manifest: KeywordManifest;
  readonly lengths: Uint32Array;
  readonly languages: Uint16Array;
  readonly terms: Uint8Array;
  readonly postings: ReadableBytes;
  readonly positions: ReadableBytes;
}

/**
 * An open keyword index of a segment. Dictionary, lengths and languages are in memory; postings are read from
 * the file on demand. Reads are synchronous: from the page cache they take microseconds.
 */
export class KeywordSegment {
  /** Bytes of the files. */
  private readonly sizes: { readonly postings: number; readonly positions: number };

  private constructor(
    readonly manifest: KeywordManifest,
    /** Length of each row's document, in half words. */
    readonly lengths: Uint32Array,
    /** Language number of each row. */
    readonly languages: Uint16Array,
    private readonly dictionary: TermDictionary,
    private readonly postingsFile: ReadableBytes,
    private readonly positionsFile: ReadableBytes,
  ) {
    this.sizes = { postings: postingsFile.size, positions: positionsFile.size };
  }

  /** Makes an index of what {@link KEYWORD_FILES} would hold. */
  static of(parts: KeywordParts): KeywordSegment {
    const { manifest, lengths, languages, terms, postings, positions } = parts;
    return new KeywordSegment(manifest, lengths, languages, new TermDictionary(terms), postings, positions);
  }

  /**
   * Opens the index in a folder.
   * @throws SearchError `keyword_index_unreadable` if it is incomplete.
   */
  static async open(dir: string): Promise<KeywordSegment> {
    const manifest = await readKeywordManifest(dir);
    const files: OpenFile[] = [];
    try {
      const [terms, lengths, languages] = await Promise.all(
        [KEYWORD_FILES.terms, KEYWORD_FILES.lengths, KEYWORD_FILES.languages].map((name) =>
          readWhole(join(dir, name)),
        ),
      );
      if (
        lengths!.length !== manifest.documentCount * 4 ||
        languages!.length !== manifest.documentCount * 2
      ) {
        throw new RangeError("the lengths or languages of the documents are not whole");
      }
      const dictionary = new TermDictionary(terms!);
      for (const name of [KEYWORD_FILES.postings, KEYWORD_FILES.positions])
        files.push(OpenFile.open(join(dir, name)));
      return new KeywordSegment(
        manifest,
        new Uint32Array(lengths!.buffer, 0, manifest.documentCount),
        new Uint16Array(languages!.buffer, 0, manifest.documentCount),
        dictionary,
        files[0]!,
        files[1]!,
      );
    } catch (cause) {
      for (const file of files) file.close();
      throw new SearchError("keyword_index_unreadable", "the keyword index cannot be read", {
        value: dir,
        remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
        cause,
      });
    }
  }

  /** Looks a term up; undefined if it does not occur. */
  find(term: string): TermEntry | undefined {
    return this.dictionary.find(term);
  }

  /** Which languages are among some: by language number 1 or 0. */
  among(languages: ReadonlySet<string>): Uint8Array {
    return Uint8Array.from(this.manifest.languages, ({ language }) => (languages.has(language) ? 1 : 0));
  }

  /** All terms with their entries. */
  terms(): Generator<[term: string, entry: TermEntry], void, void> {
    return this.dictionary.all();
  }

  /**
   * Reads a term's postings into memory from `take`, which returns as many bytes as requested, at an offset
   * that is a multiple of 4.
   */
  postings(entry: TermEntry, take: (bytes: number) => Uint8Array): PostingList {
    checkExtent(entry.postings, this.sizes.postings);
    const read = take(entry.postings.bytes);
    this.postingsFile.read(read, entry.postings.offset);
    return isDense(entry.documents, this.manifest.documentCount)
      ? new DensePostings(read, entry.documents, this.manifest.documentCount)
      : new SparsePostings(read, entry.documents);
  }

  /** Returns a cursor over a term's postings, in new memory. */
  cursor(entry: TermEntry): PostingCursor {
    const read = readExtent(this.postingsFile, entry.postings, this.sizes.postings);
    return isDense(entry.documents, this.manifest.documentCount)
      ? new DenseCursor(new DensePostings(read, entry.documents, this.manifest.documentCount))
      : new SparseCursor(read, entry.documents);
  }

  /** Reads the bytes of a term's positions into a new array. */
  positions(entry: TermEntry): Uint8Array {
    return readExtent(this.positionsFile, entry.positions, this.sizes.positions);
  }

  /** Closes the files. */
  close(): void {
    this.postingsFile.close();
    this.positionsFile.close();
  }
}

function readExtent(file: ReadableBytes, extent: Extent, size: number): Uint8Array {
  checkExtent(extent, size);
  const read = new Uint8Array(extent.bytes);
  file.read(read, extent.offset);
  return read;
}

/** @throws RangeError before memory is taken for more than there is */
function checkExtent({ offset, bytes }: Extent, size: number): void {
  if (offset + bytes > size) throw new RangeError(`${bytes} bytes from ${offset} on of a file of ${size}`);
}

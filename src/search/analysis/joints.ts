/**
 * Finds what stands before each word of Korean: the last syllable of the word there, or a number or a word of another script. Compounds are
 * written with spaces or without, and a number has its unit behind it.
 */
export class Joints {
  private text = "";
  private start = 0;
  private end = 0;
  /** Position of a word right behind; −1 where a text begins. */
  private next = -1;

  /** Forgets what stands before: a text begins. */
  begin(): void {
    this.next = -1;
  }

  /** Notes what stands before a word at position `next`: a range of a longer text. */
  before(text: string, start: number, end: number, next: number): void {
    this.text = text;
    this.start = start;
    this.end = end;
    this.next = next;
  }

  /** The term of what stands before a Korean word at a position, with the first syllable of it; none behind a gap. */
  meet(syllables: readonly string[], position: number): string | undefined {
    const isBehind = position === this.next;
    const joint = isBehind ? `${this.text.slice(this.start, this.end)} ${syllables[0]!}` : undefined;
    const last = syllables.at(-1)!;
    this.before(last, 0, last.length, position + syllables.length);
    return joint;
  }
}

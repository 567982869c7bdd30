/**
 * Integers per slot, adjacent for the cache: hash, offset of the letters, first term plus 1, number of terms.
 */
const SLOT = { width: 4, letters: 1, first: 2, count: 3 } as const;
const FIRST_BITS = 10;
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x0100_0193;
const SPREAD = 0x9e37_79b1;

/**
 * Cache of the terms of texts: per text the first term number and the count. An open-addressing hash table in
 * typed arrays. Texts are looked up as ranges of a longer text, without making strings.
 */
export class TermTable {
  private bits = FIRST_BITS;
  private slots = new Int32Array(2 ** this.bits * SLOT.width);
  /** Length and UTF-16 units of each text. */
  private letters = new Uint32Array(1024);
  private lettersUsed = 0;
  private used = 0;

  /** Returns the slot of the text from `start` to before `end`; −1 without one. */
  find(text: string, start: number, end: number): number {
    const { slots } = this;
    const hash = hashOf(text, start, end);
    const mask = slots.length - 1;
    for (let at = this.home(hash); slots[at + SLOT.first] !== 0; at = (at + SLOT.width) & mask)
      if (slots[at] === hash && this.same(slots[at + SLOT.letters]!, text, start, end)) return at;
    return -1;
  }

  /** The first term number of a slot. */
  firstOf(slot: number): number {
    return this.slots[slot + SLOT.first]! - 1;
  }

  /** Number of terms of a slot. */
  countOf(slot: number): number {
    return this.slots[slot + SLOT.count]!;
  }

  /** Adds a text that has no slot. Returns its slot, valid until the next text is added. */
  add(text: string, start: number, end: number, first: number, count: number): number {
    if ((this.used + 1) * SLOT.width * 2 > this.slots.length) this.grow();
    const letters = this.lettersUsed;
    const length = end - start;
    this.reserve(letters + length + 1);
    this.letters[letters] = length;
    for (let i = 0; i < length; i += 1) this.letters[letters + 1 + i] = text.charCodeAt(start + i);
    this.lettersUsed += length + 1;
    this.used += 1;
    const hash = hashOf(text, start, end);
    return this.put(hash, letters, first + 1, count);
  }

  private put(hash: number, letters: number, first: number, count: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let at = this.home(hash);
    while (slots[at + SLOT.first] !== 0) at = (at + SLOT.width) & mask;
    slots[at] = hash;
    slots[at + SLOT.letters] = letters;
    slots[at + SLOT.first] = first;
    slots[at + SLOT.count] = count;
    return at;
  }

  private home(hash: number): number {
    return (Math.imul(hash, SPREAD) >>> (32 - this.bits)) * SLOT.width;
  }

  private same(letters: number, text: string, start: number, end: number): boolean {
    if (this.letters[letters] !== end - start) return false;
    const first = letters + 1 - start;
    for (let i = start; i < end; i += 1) if (this.letters[first + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  private reserve(length: number): void {
    if (length <= this.letters.length) return;
    const grown = new Uint32Array(Math.max(length, this.letters.length * 2));
    grown.set(this.letters);
    this.letters = grown;
  }

  private grow(): void {
    const old = this.slots;
    this.bits += 1;
    this.slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += SLOT.width) {
      const first = old[at + SLOT.first]!;
      if (first !== 0) this.put(old[at]!, old[at + SLOT.letters]!, first, old[at + SLOT.count]!);
    }
  }
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

import { stat } from "node:fs/promises";
import { writeNewFile } from "../../files/durable-files.js";
import { OpenFile } from "../../files/open-file.js";

const SLOT_BYTES = 8;
const PROBE_SLOTS = 8;

/**
 * Makes a file-based hash table from text keys to numbers: two 32-bit words per slot (fingerprint, number + 1), three
 * quarters full, linear probing. A look-up is one small read; opening loads nothing. The same keys in the same order
 * give the same bytes.
 */
export class KeyTableWriter {
  private readonly slots: number;
  private readonly table: Uint32Array;

  /** Makes room for `count` keys, eleven bytes each. */
  constructor(count: number) {
    this.slots = Math.max(PROBE_SLOTS, Math.ceil((count * 4) / 3));
    this.table = new Uint32Array(this.slots * 2);
  }

  /** Adds one of the keys. */
  add(key: string, number: number): void {
    const { slots, table } = this;
    const [home, fingerprint] = hashKey(key);
    let slot = slotOf(home, slots);
    while (table[slot * 2 + 1] !== 0) slot = (slot + 1) % slots;
    table[slot * 2] = fingerprint;
    table[slot * 2 + 1] = number + 1;
  }

  /** Writes the table to a new file. */
  async write(path: string): Promise<void> {
    await writeNewFile(path, new Uint8Array(this.table.buffer));
  }
}

/** Looks up keys in a file of a {@link KeyTableWriter}. */
export class KeyTable {
  private readonly window = new Uint32Array(PROBE_SLOTS * 2);

  private constructor(
    private readonly file: OpenFile,
    private readonly slots: number,
  ) {}

  /** Opens a table read-only. */
  static async open(path: string): Promise<KeyTable> {
    const { size } = await stat(path);
    return new KeyTable(OpenFile.open(path), size / SLOT_BYTES);
  }

  /**
   * The number of a key. Two keys may share a fingerprint: `isMatch` says whether a number belongs to the key.
   */
  find(key: string, isMatch: (number: number) => boolean): number | undefined {
    const [home, fingerprint] = hashKey(key);
    let slot = slotOf(home, this.slots);
    for (let probed = 0; probed < this.slots; ) {
      const readable = Math.min(PROBE_SLOTS, this.slots - slot);
      this.file.read(this.window.subarray(0, readable * 2), slot * SLOT_BYTES);
      for (let i = 0; i < readable; i++) {
        const number = this.window[i * 2 + 1]! - 1;
        if (number < 0) return undefined;
        if (this.window[i * 2] === fingerprint && isMatch(number)) return number;
      }
      probed += readable;
      slot = (slot + readable) % this.slots;
    }
    return undefined;
  }

  /** Closes the file. */
  close(): void {
    this.file.close();
  }
}

/** Where a hash of 32 bits is looked for first. */
function slotOf(home: number, slots: number): number {
  return Math.floor((home / 2 ** 32) * slots);
}

/** Two 32-bit hashes of a key's UTF-16 units: FNV-1a with two offsets, each mixed at the end. */
function hashKey(key: string): [home: number, fingerprint: number] {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
    b ^= b >>> 15;
  }
  return [mix(a), mix(b)];
}

function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x21f0aaad);
  h ^= h >>> 15;
  h = Math.imul(h, 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

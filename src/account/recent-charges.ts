import { ENTRIES_PER_SEGMENT } from "./defaults.js";

/** Names a charge: one key is charged once for one request id at one endpoint. */
export function chargeName(key: string, endpoint: string, request: string): string {
  return `${key}\n${endpoint}\n${request}`;
}

/**
 * The latest charges by name, at least `ENTRIES_PER_SEGMENT` and at most twice as many, so that a repeated request
 * is recognised in bounded memory.
 */
export class RecentCharges<T> {
  readonly #generation: number;
  #newer = new Map<string, T>();
  #older = new Map<string, T>();

  constructor(generation: number = ENTRIES_PER_SEGMENT) {
    this.#generation = generation;
  }

  /** The charge of a name ({@link chargeName}), if it is among the latest. */
  get(name: string): T | undefined {
    return this.#newer.get(name) ?? this.#older.get(name);
  }

  /** Keeps a charge; the oldest may be forgotten for it. */
  set(name: string, value: T): void {
    if (this.#newer.size >= this.#generation) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(name, value);
  }
}

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { LakeClient } from "../client/open-lake.js";

const MOST_FACTS = 200;

/** Hexadecimal characters of what names a lake. */
const NAME_LENGTH = 16;

/** Facts of a lake that take long to compute and stay true until something is installed into it or removed from it. */
export class LakeFacts {
  private state: string | undefined;
  private readonly facts = new Map<string, Promise<unknown>>();

  /** Names the lake by its place, without saying it: another lake has another name, whatever is installed. */
  readonly id: string;

  constructor(private readonly lake: LakeClient) {
    this.id = createHash("sha256").update(resolve(lake.lake.path)).digest("hex").slice(0, NAME_LENGTH);
  }

  /** The lake and what it shows: another text as soon as something is installed or removed. */
  now(): string {
    return `${this.id} ${this.lake.lake.generation} ${this.lake.lake.removalState()}`;
  }

  /** Computes a fact unless it is known. A failure is not kept. */
  get<T>(name: string, compute: () => Promise<T>): Promise<T> {
    const state = this.now();
    if (state !== this.state) {
      this.state = state;
      this.facts.clear();
    }
    const known = this.facts.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const [oldest] = this.facts.keys();
    if (this.facts.size >= MOST_FACTS && oldest !== undefined) this.facts.delete(oldest);
    const computed = compute();
    this.facts.set(name, computed);
    computed.catch(() => {
      if (this.facts.get(name) === computed) this.facts.delete(name);
    });
    return computed;
  }
}

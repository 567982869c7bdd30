import { STAGING_DEFAULTS } from "./defaults.js";

/** Texts that are not well formed may be one text to the engine. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The keys of a few items: the engine need not look for what is there twice where nothing is. */
export class StagedKeys {
  private held: Set<string> | undefined = new Set();
  private repeats = false;

  /** Takes the key of the next item. */
  add(key: string): void {
    if (this.held === undefined) return;
    if (this.held.has(key) || LONE_SURROGATE.test(key)) this.repeats = true;
    this.held.add(key);
    if (this.held.size > STAGING_DEFAULTS.keysHeld) this.held = undefined;
  }

  /** Whether a key may be there twice: surely not if false. */
  get mayRepeat(): boolean {
    return this.repeats || this.held === undefined;
  }
}

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** Marks a process whose `expect` has the tester: the files of a worker share one. */
const ADDED = Symbol.for("mirrorlake.equal-numbers");

/** A list whose items may all be numbers. */
const isList = (value: unknown): boolean =>
  ArrayBuffer.isView(value) || (Array.isArray(value) && typeof value[0] === "number");

/** Whether both are lists that are the same to the last bit; undefined where that is for `expect` itself to say. */
function areSameLists(a: unknown, b: unknown): true | undefined {
  return isList(a) && isList(b) && isDeepStrictEqual(a, b) ? true : undefined;
}

const shared = globalThis as { [ADDED]?: true };
// `expect` itself makes a text of the place of each number in a list, which takes seconds for the vectors of some hundred records.
if (shared[ADDED] === undefined) expect.addEqualityTesters([areSameLists]);
shared[ADDED] = true;

import { type CoderPlaces, ColumnCoder } from "./codes/column-coder.js";
import { KeptRows } from "./kept-rows.js";
import { Kernels } from "./kernels.js";
import { SharedClaims } from "./load-claims.js";
import { loadVectors, piecesOf, type StoredVectors } from "./load-vectors.js";
import { KeptBytes } from "./scores/kept-bytes.js";
import { joinSetFiles, type SetFolder } from "./set-files.js";

/** Memory that threads share, where one that helps makes codes. */
export interface SharedCoding {
  readonly memory: WebAssembly.Memory;
  readonly places: CoderPlaces;
  /** Address of what says which pieces are left. */
  readonly claims: number;
}

/** Memory that threads share, where vectors are kept. */
export interface SharedBytes {
  readonly memory: WebAssembly.Memory;
  readonly at: number;
  /** Number of vectors with room. */
  readonly kept: number;
}

/** What a thread needs in order to help another one to load a set. */
export interface LoadTask {
  readonly parts: readonly SetFolder[];
  readonly coding: SharedCoding;
  /** Absent where none are kept. */
  readonly bytes: SharedBytes | undefined;
}

/** The pieces of a set that threads load together. */
export function claimsOf({ memory, places, claims }: SharedCoding): SharedClaims {
  return new SharedClaims(memory, claims, piecesOf(places.count));
}

/** Loads pieces of a set, from files of its own, until none is left. Never rejects: it tells the thread that is helped if it cannot. */
export async function helpLoading(task: LoadTask): Promise<void> {
  const claims = claimsOf(task.coding);
  try {
    await loadPieces(task, claims);
  } catch {
    // The other thread loads all itself then, and says what is wrong if something is.
    claims.fail();
  }
}

async function loadPieces({ parts, coding, bytes }: LoadTask, claims: SharedClaims): Promise<void> {
  const { memory, places } = coding;
  const coder = new ColumnCoder(await Kernels.attach(memory), places);
  const into: StoredVectors[] = [coder];
  if (bytes !== undefined) {
    const rows = new KeptRows(places.count, bytes.kept);
    into.unshift(new KeptBytes(new Uint8Array(bytes.memory.buffer), bytes.at, rows));
  }
  const files = joinSetFiles(parts);
  try {
    await loadVectors(files.bytes, into, { claims });
  } finally {
    files.close();
  }
}

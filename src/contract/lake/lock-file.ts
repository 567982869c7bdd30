import { z } from "zod";
import { Sha256 } from "../slice/slice-manifest.js";

/** Default name of the lock file. */
export const LOCK_FILE = "mirrorlake.lock.json";

/** Version of the lock file that this library writes, and the newest that it reads. */
export const LOCK_FORMAT_VERSION = 1;

/** One slice of a lake, pinned by its root. */
export const LockedSlice = z.object({
  root: Sha256,
  name: z.string().max(200),
  /** Total bytes of its files without the manifest. */
  bytes: z.number().int().min(0),
  /** Source of the slice: an address, or a path relative to the lock file; null if unknown. */
  source: z.string().min(1).max(4000).nullable(),
});
export type LockedSlice = Readonly<z.infer<typeof LockedSlice>>;

/** `mirrorlake.lock.json`: the slices of a lake, so that the same lake can be built elsewhere. It holds no keys. */
export const LockFile = z.object({
  formatVersion: z.literal(LOCK_FORMAT_VERSION),
  slices: z.array(LockedSlice),
});
export type LockFile = Readonly<z.infer<typeof LockFile>>;

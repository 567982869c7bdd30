import { createHash, randomBytes } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncHandle } from "../../files/durable-files.js";
import { makeFolder } from "../../files/make-folder.js";

const MAGIC = 0x43_45_4c_4d; // "MLEC"
const VERSION = 1;
const HEADER = 16;
const KEY = 32;
const DIGEST = 32;
const NAME = /^[0-9a-f]{32}\.vectors$/;
/** Files kept in memory: documents are read in the order they were written. */
const OPEN_FILES = 8;

/**
 * Vectors on disk by the SHA-256 of their input. Each batch is an immutable file, published by a rename:
 * processes can share a folder, and a kill loses at most the current batch. Damaged files are ignored, and
 * their vectors generated again; so are files that are gone, as where the folder is cleared meanwhile.
 *
 * File format: "MLEC", version, number of vectors, dimensions (32-bit little-endian); the keys; the vectors
 * (32-bit floats); the SHA-256 of all before.
 */
export class VectorCache {
  private readonly places = new Map<string, { readonly file: string; readonly index: number }>();
  private readonly loaded = new Map<string, Float32Array | undefined>();
  private listed: Promise<void> | undefined;

  private constructor(
    private readonly dir: string,
    private readonly dims: number,
  ) {}

  /** Opens the cache in a folder, which is created if absent. */
  static async open(dir: string, dims: number): Promise<VectorCache> {
    await makeFolder(dir);
    return new VectorCache(dir, dims);
  }

  /** Returns the key of a text for a name of the model and its options. */
  static key(maker: string, text: string): string {
    return createHash("sha256").update(maker).update("\0").update(text).digest("hex");
  }

  /** Reads the vector of a key; undefined if there is none, or its file is damaged or gone. */
  async get(key: string): Promise<Float32Array | undefined> {
    this.listed ??= this.list();
    await this.listed;
    const place = this.places.get(key);
    if (place === undefined) return undefined;
    const vectors = await this.load(place.file);
    if (vectors === undefined) {
      this.places.delete(key);
      return undefined;
    }
    return vectors.slice(place.index * this.dims, (place.index + 1) * this.dims);
  }

  /** Stores vectors by key; they are on disk when this resolves. @throws UsageError `unwritable_folder` */
  async put(entries: readonly (readonly [key: string, vector: Float32Array])[]): Promise<void> {
    if (entries.length === 0) return;
    const body = Buffer.alloc(HEADER + entries.length * (KEY + this.dims * 4));
    [MAGIC, VERSION, entries.length, this.dims].forEach((value, i) => {
      body.writeUInt32LE(value, i * 4);
    });
    entries.forEach(([key, vector], i) => {
      body.write(key, HEADER + i * KEY, "hex");
      const at = HEADER + entries.length * KEY + i * this.dims * 4;
      vector.forEach((value, k) => {
        body.writeFloatLE(value, at + k * 4);
      });
    });
    const digest = createHash("sha256").update(body).digest();
    const name = `${digest.toString("hex").slice(0, 32)}.vectors`;
    await makeFolder(this.dir);
    const temporary = join(this.dir, `${randomBytes(8).toString("hex")}.tmp`);
    try {
      const file = await open(temporary, "wx");
      try {
        await file.writeFile(Buffer.concat([body, digest]));
        await syncHandle(file);
      } finally {
        await file.close();
      }
      await rename(temporary, join(this.dir, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.loaded.delete(name);
    entries.forEach(([key], index) => {
      this.places.set(key, { file: name, index });
    });
  }

  /** Finds out what the folder has. A process that only asks for queries does not wait for it. */
  private async list(): Promise<void> {
    const entries = (await readdir(this.dir).catch(noneIfAbsent)) ?? [];
    for (const name of entries.filter((entry) => NAME.test(entry)).sort()) {
      for (const [index, key] of (await this.readKeys(name)).entries()) {
        if (!this.places.has(key)) this.places.set(key, { file: name, index });
      }
    }
  }

  /** Reads the keys of a file; none if it is gone, or no cache file of these dimensions. */
  private async readKeys(name: string): Promise<string[]> {
    const file = await open(join(this.dir, name), "r").catch(noneIfAbsent);
    if (file === undefined) return [];
    try {
      const header = Buffer.alloc(HEADER);
      await file.read(header, 0, HEADER, 0);
      const [magic, version, count, dims] = [0, 4, 8, 12].map((at) => header.readUInt32LE(at));
      const { size } = await file.stat();
      const whole = HEADER + count! * (KEY + dims! * 4) + DIGEST;
      if (magic !== MAGIC || version !== VERSION || dims !== this.dims || size !== whole) return [];
      const keys = Buffer.alloc(count! * KEY);
      await file.read(keys, 0, keys.length, HEADER);
      return Array.from({ length: count! }, (_, i) => keys.toString("hex", i * KEY, (i + 1) * KEY));
    } finally {
      await file.close();
    }
  }

  private async load(name: string): Promise<Float32Array | undefined> {
    if (this.loaded.has(name)) return this.loaded.get(name);
    const bytes = await readFile(join(this.dir, name)).catch(noneIfAbsent);
    if (bytes === undefined) return undefined;
    const body = bytes.subarray(0, -DIGEST);
    const intact = createHash("sha256").update(body).digest().equals(bytes.subarray(-DIGEST));
    const floats = intact ? floatsOf(body.subarray(HEADER + body.readUInt32LE(8) * KEY)) : undefined;
    if (this.loaded.size >= OPEN_FILES) this.loaded.delete(this.loaded.keys().next().value!);
    this.loaded.set(name, floats);
    return floats;
  }
}

function floatsOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

function noneIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

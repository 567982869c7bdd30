import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { LakeError } from "../contract/errors.js";
import { StoredApiKey } from "./api-key.js";
import { replaceFile } from "./replace-file.js";

const KeyFileContent = z.strictObject({
  format: z.literal("mirrorlake-keys"),
  version: z.literal(1),
  keys: z.array(StoredApiKey),
});

/** The file that keeps an account's keys, digests only. */
export class KeyFile {
  readonly #path: string;
  #seen: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The keys, when the file has changed since they were last read.
   * @throws LakeError `keys_corrupt`
   */
  async readChanged(): Promise<readonly StoredApiKey[] | undefined> {
    const version = await this.#version();
    if (version === this.#seen) return undefined;
    const keys = version === "absent" ? [] : this.#parse(await readFile(this.#path, "utf8"));
    this.#seen = version;
    return keys;
  }

  /** Puts these keys in place of those in the file. */
  async write(keys: readonly StoredApiKey[]): Promise<void> {
    const content: z.infer<typeof KeyFileContent> = {
      format: "mirrorlake-keys",
      version: 1,
      keys: [...keys],
    };
    await replaceFile(this.#path, `${JSON.stringify(content, null, 2)}\n`);
    this.#seen = await this.#version();
  }

  #parse(text: string): readonly StoredApiKey[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw this.#corrupt("it is not JSON", cause);
    }
    const parsed = KeyFileContent.safeParse(value);
    if (!parsed.success) throw this.#corrupt(z.prettifyError(parsed.error), parsed.error);
    return parsed.data.keys;
  }

  #corrupt(why: string, cause: unknown): LakeError {
    return new LakeError("keys_corrupt", `The key file ${this.#path} cannot be read: ${why}`, {
      value: this.#path,
      remedy: "Restore it from a backup, or delete it and create new keys with `mirrorlake keys create`.",
      cause,
    });
  }

  async #version(): Promise<string> {
    try {
      const { ino, size, mtimeNs } = await stat(this.#path, { bigint: true });
      return `${ino}.${size}.${mtimeNs}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
      throw error;
    }
  }
}

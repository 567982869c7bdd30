import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import type { Json } from "../contract/json.js";
import { CASSETTE_FORMAT, type CallLine, type CassetteHeader } from "./cassette-line.js";
import { readCassette } from "./read-cassette.js";
import { ContentPacker } from "./shared-content.js";

/** Removes a last line that a killed recorder did not finish. */
async function cutUnfinished(path: string): Promise<void> {
  const bytes = await readFile(path);
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) await truncate(path, end);
}

/** Appends calls to a cassette, in the order of their answers. Bodies arrive here without secrets. */
export class CassetteWriter {
  /** Ends when everything before is on the disk. */
  private last: Promise<void> = Promise.resolve();
  /** Calls written. */
  count = 0;

  private constructor(
    private readonly path: string,
    private readonly packer: ContentPacker,
  ) {}

  /**
   * Opens a cassette, or starts one.
   * @throws CassetteError `cassette_unreadable` if the file is something else
   */
  static async open(path: string, maxAgeMs?: number): Promise<CassetteWriter> {
    const packer = new ContentPacker();
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0) {
      const header: CassetteHeader = {
        cassette: CASSETTE_FORMAT,
        max_age_ms: maxAgeMs,
      };
      await writeFile(path, `${JSON.stringify(header)}\n`);
    } else {
      packer.know((await readCassette(path)).known);
      await cutUnfinished(path);
    }
    return new CassetteWriter(path, packer);
  }

  /** Appends a call. Resolves when it is written. */
  add(call: CallLine): Promise<void> {
    const lines: string[] = [];
    let { response } = call;
    if (response.json !== undefined) {
      const { body, vectors } = this.packer.pack(response.json as Json);
      for (const [vector, values] of vectors) lines.push(JSON.stringify({ vector, values }));
      response = { ...response, json: body };
    }
    lines.push(JSON.stringify({ ...call, response }));
    this.count += 1;
    this.last = this.last.then(() => appendFile(this.path, `${lines.join("\n")}\n`));
    return this.last;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.last;
  }
}

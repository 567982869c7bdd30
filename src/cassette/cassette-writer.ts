import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { callText } from "./call-text.js";
import { CASSETTE_FORMAT, type CassetteHeader } from "./cassette-line.js";
import { type Cassette, readCassette } from "./read-cassette.js";
import type { RecordedCall } from "./recorded-call.js";
import { ContentPacker } from "./shared-content.js";

/** Ends a cassette with a line end: one is added to a whole last line, and a line that a killed recorder did not finish is removed. */
async function endLastLine(path: string, tail: Cassette["tail"]): Promise<void> {
  if (tail === "whole") await appendFile(path, "\n");
  if (tail !== "unfinished") return;
  const bytes = await readFile(path);
  await truncate(path, bytes.lastIndexOf("\n") + 1);
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
      const { known, tail } = await readCassette(path);
      packer.know(known);
      await endLastLine(path, tail);
    }
    return new CassetteWriter(path, packer);
  }

  /** Appends a call. Resolves when it is written. */
  add(call: RecordedCall): Promise<void> {
    const text = callText(call, this.packer);
    this.count += 1;
    this.last = this.last.then(() => appendFile(this.path, text));
    return this.last;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.last;
  }
}

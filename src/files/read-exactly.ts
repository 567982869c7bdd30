import { readSync } from "node:fs";

/** Fills a view from a position of an open file. @throws RangeError where the file ends before */
export function readExactly(fd: number, into: NodeJS.ArrayBufferView, position: number): void {
  let done = 0;
  while (done < into.byteLength) {
    const read = readSync(fd, into, done, into.byteLength - done, position + done);
    if (read === 0) throw new RangeError(`The file ends at byte ${position + done}: it is truncated`);
    done += read;
  }
}

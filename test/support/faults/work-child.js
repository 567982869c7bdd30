// Does one piece of work in a process of its own, for tests that let it fail: node work-child.js <work> <options as JSON>
// On failure it prints the error as JSON and ends with code 1.
import { writeSync } from "node:fs";
import {
  compactLake,
  ingest,
  installSlices,
  openLake,
  publishSlices,
  pullSlices,
  removeRecords,
  retainLake,
} from "mirrorlake";

const [work, text] = process.argv.slice(2);
const options = JSON.parse(text);
/** @type {Record<string, (options: any) => Promise<unknown>>} */
const WORK = {
  install: ({ dirs, ...rest }) => installSlices(dirs, { threads: 1, ...rest }),
  compact: (rest) => compactLake({ threads: 1, ...rest }),
  retain: (rest) => retainLake({ threads: 1, ...rest }),
  remove: ({ targets, ...rest }) => removeRecords(targets, { reason: "test", ...rest }),
  ingest: ({ inputs, ...rest }) => ingest(inputs, rest),
  publish: ({ dirs, ...rest }) => publishSlices(dirs, rest),
  pull: ({ source, ...rest }) => pullSlices(source, { threads: 1, ...rest }),
  /** Makes charged calls, and prints a line for each that was answered. */
  charge: async ({ lake, calls, path }) => {
    const open = await openLake(lake, { limits: "off" });
    try {
      for (let i = 0; i < calls; i++) {
        await open.call(path[0], path[1]);
        writeSync(1, "answered\n");
      }
    } finally {
      await open.close();
    }
  },
  /** Opens a lake and asks it: reading needs no space. */
  read: async ({ lake, query }) => {
    const open = await openLake(lake, { limits: "off", account: "memory" });
    const { data } = await open.search({ query });
    writeSync(1, `${data.length}\n`);
    await open.close();
  },
};

try {
  await WORK[work](options);
} catch (error) {
  const { name, code, message, remedy, stack, cause } = /** @type {any} */ (error);
  writeSync(2, `${JSON.stringify({ name, code, message, remedy, stack, cause: cause?.stack })}\n`);
  process.exitCode = 1;
}

import { writeSync } from "node:fs";
import {
  compactLake,
  gcLake,
  ingest,
  installSlices,
  openLake,
  publishSlices,
  pullSlices,
  removeRecords,
  retainLake,
} from "mirrorlake";

/**
 * Pieces of work that write, by name: tests let them fail in processes of their own.
 * @type {Readonly<Record<string, (options: any) => Promise<unknown>>>}
 */
export const WORKS = {
  install: ({ dirs, ...rest }) => installSlices(dirs, { threads: 1, ...rest }),
  compact: (rest) => compactLake({ threads: 1, ...rest }),
  retain: (rest) => retainLake({ threads: 1, ...rest }),
  remove: ({ targets, ...rest }) => removeRecords(targets, { reason: "test", ...rest }),
  gc: (rest) => gcLake(rest),
  ingest: ({ inputs, ...rest }) => ingest(inputs, rest),
  publish: ({ dirs, ...rest }) => publishSlices(dirs, rest),
  pull: ({ source, ...rest }) => pullSlices(source, { threads: 1, ...rest }),
  /** Writes a lake's records to a file. */
  export: async ({ lake, out, format }) => {
    const open = await openLake(lake, { limits: "off", account: "memory" });
    try {
      await open.export(out, { format });
    } finally {
      await open.close();
    }
  },
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

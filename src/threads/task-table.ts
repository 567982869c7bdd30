import type { Moved } from "./moved.js";

/** Tasks of a worker thread by name, each with the loader of its function, called once per thread. */
export type TaskTable = Readonly<Record<string, () => Promise<(task: never) => Promise<unknown>>>>;

/** The function of a name. */
type TaskFunction<Table extends TaskTable, Name extends keyof Table> = Awaited<ReturnType<Table[Name]>>;

/** Input of a task. */
export type TaskOf<Table extends TaskTable, Name extends keyof Table> = Parameters<
  TaskFunction<Table, Name>
>[0];

/** Result of a task. */
export type ResultOf<Table extends TaskTable, Name extends keyof Table> =
  Awaited<ReturnType<TaskFunction<Table, Name>>> extends infer Result
    ? Result extends Moved<infer Value>
      ? Value
      : Result
    : never;

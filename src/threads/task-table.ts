import type { Moved } from "./moved.js";

/** What a worker thread can do: by name, what loads the function, once a thread. */
export type TaskTable = Readonly<Record<string, () => Promise<(task: never) => Promise<unknown>>>>;

/** The function of a name. */
type TaskFunction<Table extends TaskTable, Name extends keyof Table> = Awaited<ReturnType<Table[Name]>>;

/** What a task of a name takes. */
export type TaskOf<Table extends TaskTable, Name extends keyof Table> = Parameters<
  TaskFunction<Table, Name>
>[0];

/** What a task of a name gives. */
export type ResultOf<Table extends TaskTable, Name extends keyof Table> =
  Awaited<ReturnType<TaskFunction<Table, Name>>> extends infer Result
    ? Result extends Moved<infer Value>
      ? Value
      : Result
    : never;

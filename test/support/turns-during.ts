import { setImmediate } from "node:timers/promises";

/** What work results in, and how often the event loop turned meanwhile. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let done = false;
  const count = async () => {
    for (; !done; turns++) await setImmediate();
  };
  const counting = count();
  const result = await work();
  done = true;
  await counting;
  return { result, turns };
}

import { openLake } from "mirrorlake";

/** Does not compile. */
export async function wrong(): Promise<void> {
  const lake = await openLake(".mirrorlake/demo");
  await lake.search({ query: "a", freshnes: "7d" });
}

import { openLake } from "mirrorlake";

/** Does not compile. */
export async function wrong(): Promise<void> {
  const lake = await openLake(".mirrorlake/demo");
  for (const record of (await lake.search({ query: "a" })).data)
    if (record.src === "web") console.log(record.price.current);
}

import { openLake } from "mirrorlake";

/** Does not compile. */
export async function wrong(): Promise<void> {
  const lake = await openLake(".mirrorlake/demo");
  await lake.raw("short-video", "vidoe", { item_id: "7301234567890123456" });
}

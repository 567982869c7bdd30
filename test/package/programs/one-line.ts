import { openLake } from "mirrorlake";

const lake = await openLake("a-lake");
const { data } = await lake.search({ query: "harbour" });
console.log(data[0]?.text);
await lake.close();

import { ApiError, type Embedder, openLake } from "mirrorlake";
import { openaiEmbedder } from "mirrorlake/embed-openai";

async function texts(query: string): Promise<readonly (string | undefined)[]> {
  const lake = await openLake("a-lake");
  try {
    const { data } = await lake.search({ query });
    return data.map(({ text }) => text);
  } catch (error) {
    if (error instanceof ApiError) return [error.code];
    throw error;
  }
}

const embedder: Promise<Embedder> = openaiEmbedder({ baseUrl: "http://127.0.0.1:8080/v1", model: "a-model" });
console.log(texts("harbour"), embedder);

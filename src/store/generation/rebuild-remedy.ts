import { shellWord } from "../../contract/shell-word.js";

/** A path in a generation of a lake; what comes before is the lake's folder. */
const IN_GENERATION = /^(.+)[\\/]generations[\\/]\d/su;

/** The remedy of a damaged generation, with the command for its lake. `path` is of the lake, or of anything in one of its generations. */
export function rebuildRemedy(path: string): string {
  const lake = IN_GENERATION.exec(path)?.[1] ?? path;
  return `rebuild the generation from the lake's slices: mirrorlake install --rebuild --lake ${shellWord(lake)}`;
}

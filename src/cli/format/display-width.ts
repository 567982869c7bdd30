import { graphemesOf } from "../../contract/graphemes.js";

const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const ZERO = /^[\p{M}\p{Cf}\p{Cc}\u200b]+$/u;

function clusterWidth(cluster: string): number {
  if (cluster.length === 1 && cluster >= " " && cluster <= "~") return 1;
  if (ZERO.test(cluster)) return 0;
  return WIDE.test(cluster) || EMOJI.test(cluster) ? 2 : 1;
}

/**
 * Width of a text in terminal cells: 2 for East Asian wide characters and emoji, 0 for marks (Unicode UAX #11).
 *
 * @param enough width from which the rest of the text does not matter
 */
export function displayWidth(text: string, enough = Number.POSITIVE_INFINITY): number {
  let width = 0;
  for (const segment of graphemesOf(text)) {
    width += clusterWidth(segment);
    if (width >= enough) break;
  }
  return width;
}

/** Cuts a text to at most `cells`, with an ellipsis if anything was cut. Never cuts inside a grapheme. */
export function truncate(text: string, cells: number): string {
  if (cells <= 0) return "";
  let width = 0;
  let kept = "";
  let keptBeforeEllipsis = "";
  for (const segment of graphemesOf(text)) {
    width += clusterWidth(segment);
    if (width > cells) return `${keptBeforeEllipsis}…`;
    kept += segment;
    if (width <= cells - 1) keptBeforeEllipsis = kept;
  }
  return kept;
}

/** Makes untrusted text safe for a terminal: one line, without control characters and bidirectional overrides. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
}

/** Wraps a text at spaces into lines of at most `cells`. Never breaks inside a grapheme. Returns at least one line. */
export function wrap(text: string, cells: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  let breakAt = -1;
  for (const segment of graphemesOf(text)) {
    const taken = clusterWidth(segment);
    if (width + taken > cells && line !== "") {
      const at = segment === " " || breakAt < 1 ? line.length : breakAt;
      lines.push(line.slice(0, at));
      line = line.slice(at).replace(/^ +/, "");
      width = displayWidth(line);
      breakAt = -1;
      if (segment === " ") continue;
    }
    if (segment === " ") breakAt = line.length;
    line += segment;
    width += taken;
  }
  return [...lines, line];
}

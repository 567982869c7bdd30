import fc from "fast-check";
import { ANY_CHARACTER } from "../support/any-character.js";

const NASTY = [
  "<script>alert(1)</script>",
  "</td></tr></table><img src=x onerror=alert(1)>",
  "</style><script>",
  "</svg><script>",
  "-->",
  "<!--",
  "]]>",
  "<![CDATA[",
  "&lt;b&gt;",
  "&#60;",
  '" onmouseover="alert(1)',
  "' style='x",
  "javascript:alert(1)",
  "\u202eevil",
  "{{x}}",
  "`x`",
  "\0",
  "\ud800",
];

/** Text of any kind: code units, whole characters, pieces of HTML, mixed. */
export function anyText(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.constantFrom(...NASTY),
    fc.string({ unit: ANY_CHARACTER }),
    fc.string({ unit: "grapheme" }),
    codeUnits(),
  );
  return fc.array(unit, { maxLength: 4 }).map((parts) => parts.join(""));
}

function codeUnits(): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 })
    .map((codes) => String.fromCharCode(...codes));
}

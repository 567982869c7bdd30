/** Elements of HTML that texts are made with. */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    "a abbr acronym address article aside audio b bdi bdo big blockquote body br button caption center cite code col colgroup " +
    "dd del details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i " +
    "iframe img input ins kbd label legend li link main map mark meta nav object ol optgroup option p param picture pre q " +
    "s samp script section select small source span strike strong style sub summary sup table tbody td textarea tfoot th " +
    "thead time title tr tt u ul var video wbr"
  ).split(" "),
);
/** Elements by which a text is told to hold HTML. */
const TELLING = /<(?:p|br|a|b|i|em|strong|div|span|code|pre)\b[^<>]*>/i;
const TAG = /<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?\/?>/g;
const REFERENCE = /&(?:amp|quot|lt|gt|nbsp|#\d{2,5}|#x[0-9a-f]{2,5});/i;

/**
 * How texts hold HTML: with elements, with references alone, or not. Where only some do, and others have what looks like an element and is
 * none (`List<int>`, `<module>`), they are text with HTML in it, such as Markdown, which decoding would take these out of.
 */
export function htmlOf(texts: readonly string[]): "text" | "entities" | undefined {
  const telling = texts.filter((text) => TELLING.test(text)).length;
  if (telling === 0) return texts.some((text) => REFERENCE.test(text)) ? "entities" : undefined;
  return telling * 2 >= texts.length || !texts.some(hasOthers) ? "text" : undefined;
}

function hasOthers(text: string): boolean {
  for (const [, name] of text.matchAll(TAG)) if (!ELEMENTS.has(name!.toLowerCase())) return true;
  return false;
}

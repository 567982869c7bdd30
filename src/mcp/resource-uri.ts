/** Fills the one variable of a URI template (RFC 6570, level 1). */
export function fillUri(template: string, value: string): string {
  return template.replace(/\{[a-z]+\}/, encodeURIComponent(value));
}

/** The value of the one variable of a template in a URI; undefined if the URI is of another form. */
export function parseUri(template: string, uri: string): string | undefined {
  const [before = "", after = ""] = template.split(/\{[a-z]+\}/);
  if (!uri.startsWith(before) || !uri.endsWith(after) || uri.length <= before.length + after.length)
    return undefined;
  const value = uri.slice(before.length, uri.length - after.length);
  if (value.includes("/")) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // not percent-encoded text: no URI of this form
  }
}

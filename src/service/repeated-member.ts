/** An object or a list that is open: the names so far of an object, and the name or the index at hand. */
interface Open {
  readonly names: Set<string> | undefined;
  at: string | number;
}

/**
 * Finds a member that an object names twice, of which `JSON.parse` would drop the first (RFC 8259 section 4).
 * @param text valid JSON
 * @returns its path, with the index of an item of a list; undefined if there is none
 */
export function repeatedMember(text: string): readonly (string | number)[] | undefined {
  const open: Open[] = [];
  let top: Open | undefined;
  let quote = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        quote = i;
        i = endOfString(text, i);
        break;
      case "{":
      case "[":
        top = text[i] === "{" ? { names: new Set(), at: "" } : { names: undefined, at: 0 };
        open.push(top);
        break;
      case "}":
      case "]":
        open.pop();
        top = open.at(-1);
        break;
      case ",":
        if (typeof top!.at === "number") top!.at++;
        break;
      case ":": {
        const name = JSON.parse(text.slice(quote, text.lastIndexOf('"', i) + 1)) as string;
        top!.at = name;
        if (top!.names!.has(name)) return open.map(({ at }) => at);
        top!.names!.add(name);
      }
    }
  }
  return undefined;
}

/** Where the string ends that begins at a position: at its closing quotation mark. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i;
}

/** HTML that is known to be well formed: made by {@link html} only, which escapes what it is given. */
export class Markup {
  private readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Vouches for text that this library wrote itself. Never for data. */
  static trusted(text: string): Markup {
    return new Markup(text);
  }

  /** The HTML. */
  toString(): string {
    return this.text;
  }
}

/** What a template may hold: nothing, text (escaped), markup (as it is), or a list of them. */
export type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/** A template whose values are escaped unless they are markup themselves; `undefined` is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return Markup.trusted(
    strings.map((part, i) => part + (i < values.length ? write(values[i]) : "")).join(""),
  );
}

function write(value: MarkupValue): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.toString();
  return typeof value === "object" ? value.map(write).join("") : escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML text or a quoted attribute value, in such a way that a parser reads back {@link visible} of it. */
export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * Text that can stand in HTML and XML: line ends are `\n`, control characters become their pictures (U+2400 and on),
 * half surrogates and noncharacters U+FFFD.
 */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROL, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

const CONTROL = /[^\P{Cc}\n\t]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

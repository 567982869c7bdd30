/** Well-formed HTML, created only by {@link html}, which escapes its values. */
export class Markup {
  private readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Marks text written by this library as safe. Never for data. */
  static trusted(text: string): Markup {
    return new Markup(text);
  }

  /** The HTML. */
  toString(): string {
    return this.text;
  }
}

/** Value of a template: undefined, text (escaped), markup (unchanged), or a list of them. */
export type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/** Template tag that escapes its values unless they are markup; `undefined` renders as nothing. */
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

/** Escapes text for HTML text or a quoted attribute value; a parser reads back {@link visible} of it. */
export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * Makes text valid in HTML and XML: line ends become `\n`, control characters their pictures (U+2400 and on), lone surrogates and
 * noncharacters U+FFFD.
 */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROL, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

const CONTROL = /[^\P{Cc}\n\t]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

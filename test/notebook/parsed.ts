import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** What a browser makes of a view's HTML. */
export interface Parsed {
  /** Names of elements, in order, the style sheet left out. */
  readonly names: readonly string[];
  readonly elements: readonly Element[];
  /** Texts within elements, the style sheet left out. */
  readonly texts: readonly string[];
}

/** Parses HTML as browsers do. */
export function parsed(html: string): Parsed {
  const elements: Element[] = [];
  const texts: string[] = [];
  const visit = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if ("value" in node) texts.push(node.value);
      if (!("tagName" in node) || node.tagName === "style") continue;
      elements.push(node);
      visit(node.childNodes);
    }
  };
  visit(parseFragment(html).childNodes);
  return { names: elements.map(({ tagName }) => tagName), elements, texts };
}

/** The text of the elements of that name, or of that class. */
export function textsOf(html: string, selector: string): string[] {
  const text = (nodes: readonly Node[]): string =>
    nodes
      .map((node) => ("value" in node ? node.value : "childNodes" in node ? text(node.childNodes) : ""))
      .join("");
  return parsed(html)
    .elements.filter((element) =>
      selector.startsWith(".")
        ? attribute(element, "class").split(" ").includes(selector.slice(1))
        : element.tagName === selector,
    )
    .map((element) => text(element.childNodes));
}

/** The value of an attribute; "" where there is none. */
export function attribute(element: Element, name: string): string {
  return element.attrs.find((attr) => attr.name === name)?.value ?? "";
}

/** What in HTML could run or load something: elements, handlers, addresses. */
export function dangers(html: string): string[] {
  return parsed(html).elements.flatMap((element) => [
    ...(/^(script|iframe|object|embed|link|meta|base|img|form|foreignobject|video|audio)$/i.test(
      element.tagName,
    )
      ? [element.tagName]
      : []),
    ...element.attrs
      .filter(
        ({ name, value }) =>
          /^on/i.test(name) ||
          /^(src|href|xlink:href|action|formaction)$/i.test(name) ||
          /url\(\s*(?!#)/i.test(value),
      )
      .filter(({ name }) => !["title", "aria-label", "aria-description"].includes(name))
      .map(({ name, value }) => `${element.tagName} ${name}=${value}`),
  ]);
}

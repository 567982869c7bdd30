import { UsageError } from "../contract/errors.js";
import { escapeHtml, Markup } from "./markup.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * The subset of a DOM document that drawing a chart needs: creating, nesting and serializing elements and texts. No layout, no
 * events, no loading. Unsupported features throw an error with their name. Members without a docstring follow the DOM standard.
 */
export class SvgDocument {
  readonly documentElement: SvgElement = new SvgElement(this, "svg", SVG);
  /** Ignores events: a static chart is not interactive. */
  readonly defaultView = { Event: class {} };

  createElementNS(namespace: string, name: string): SvgElement {
    return new SvgElement(this, name, namespace);
  }

  createElement(name: string): SvgElement {
    throw new UsageError("chart_needs_browser", `This chart wants an HTML element <${name}>`, {
      value: name,
      remedy:
        "leave out legends, titles and marks that need a canvas or a browser; charts here bring their own legends",
    });
  }

  createTextNode(text: string): SvgText {
    return new SvgText(text);
  }
}

/** Text within an element. */
export class SvgText {
  parentNode: SvgElement | null = null;

  constructor(readonly data: string) {}

  get textContent(): string {
    return this.data;
  }

  cloneNode(): SvgText {
    return new SvgText(this.data);
  }

  toString(): string {
    return escapeHtml(this.data);
  }
}

type SvgNode = SvgElement | SvgText;

/** An element. Numbers are rounded to a thousandth of a pixel, so that a chart has the same bytes everywhere. */
export class SvgElement {
  readonly childNodes: SvgNode[] = [];
  parentNode: SvgElement | null = null;
  /** No element here is on a page. */
  readonly isConnected = false;
  private readonly declarations = new SvgStyle();
  private readonly attributes = new Map<string, string>();

  constructor(
    readonly ownerDocument: SvgDocument,
    readonly tagName: string,
    readonly namespaceURI: string,
  ) {}

  get style(): SvgStyle {
    return this.declarations;
  }

  /** As in a browser, declarations may be assigned as text. */
  set style(text: string) {
    for (const declaration of text.split(";")) {
      const at = declaration.indexOf(":");
      if (at > 0)
        this.declarations.setProperty(declaration.slice(0, at).trim(), declaration.slice(at + 1).trim());
    }
  }

  get children(): SvgElement[] {
    return this.childNodes.filter((node) => node instanceof SvgElement);
  }

  get firstChild(): SvgNode | null {
    return this.childNodes[0] ?? null;
  }

  get lastChild(): SvgNode | null {
    return this.childNodes.at(-1) ?? null;
  }

  get nextSibling(): SvgNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get textContent(): string {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  set textContent(text: string | null) {
    this.childNodes.length = 0;
    if (text !== null && text !== "") this.appendChild(new SvgText(String(text)));
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, typeof value === "number" ? String(rounded(value)) : String(value));
  }

  setAttributeNS(_namespace: string | null, name: string, value: unknown): void {
    this.setAttribute(name, value);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  removeAttributeNS(_namespace: string | null, name: string): void {
    this.removeAttribute(name);
  }

  append(...nodes: readonly (SvgNode | string)[]): void {
    for (const node of nodes) this.appendChild(typeof node === "string" ? new SvgText(node) : node);
  }

  appendChild<Node extends SvgNode>(node: Node): Node {
    return this.insertBefore(node, null);
  }

  insertBefore<Node extends SvgNode>(node: Node, next: SvgNode | null | undefined): Node {
    node.parentNode?.removeChild(node);
    const at = next == null ? -1 : this.childNodes.indexOf(next);
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }

  removeChild<Node extends SvgNode>(node: Node): Node {
    const at = this.childNodes.indexOf(node);
    if (at >= 0) this.childNodes.splice(at, 1);
    node.parentNode = null;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  cloneNode(deep = false): SvgElement {
    const clone = new SvgElement(this.ownerDocument, this.tagName, this.namespaceURI);
    for (const [name, value] of this.attributes) clone.setAttribute(name, value);
    clone.style.copy(this.style);
    if (deep) for (const node of this.childNodes) clone.appendChild(node.cloneNode(true));
    return clone;
  }

  /** The first element of that name below this one. Selectors are names only. */
  querySelector(name: string): SvgElement | null {
    for (const child of this.children) {
      const found = child.tagName === name ? child : child.querySelector(name);
      if (found !== null) return found;
    }
    return null;
  }

  addEventListener(): void {}

  dispatchEvent(): boolean {
    return true;
  }

  /** Serializes the element for HTML and XML, without handlers, scripts or foreign links. */
  toString(): string {
    if (FORBIDDEN.has(this.tagName.toLowerCase())) return "";
    const style = this.style.toString();
    const attributes = [...this.attributes, ...(style === "" ? [] : [["style", style] as const])]
      .filter(([name, value]) => isHarmless(this.tagName, name, value))
      .map(([name, value]) => ` ${name}="${escapeHtml(roundedText(name, value))}"`)
      .join("");
    const inner = this.childNodes.join("");
    return inner === ""
      ? `<${this.tagName}${attributes}/>`
      : `<${this.tagName}${attributes}>${inner}</${this.tagName}>`;
  }

  /** The same as {@link toString}, for a template. */
  toMarkup(): Markup {
    return Markup.trusted(this.toString());
  }
}

/** Inline style of an element; as in a browser, properties may be set by camel-case names. */
class SvgStyle {
  private readonly properties = new Map<string, string>();

  setProperty(name: string, value: unknown): void {
    this.properties.set(name, String(value));
  }

  removeProperty(name: string): void {
    this.properties.delete(name);
  }

  copy(other: SvgStyle): void {
    for (const [name, value] of other.all()) this.setProperty(name, value);
  }

  toString(): string {
    return [...this.all()].map(([name, value]) => `${name}:${value}`).join(";");
  }

  private all(): ReadonlyMap<string, string> {
    const assigned = Object.entries(this).map(
      ([name, value]) =>
        [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), String(value)] as const,
    );
    return new Map([...this.properties, ...assigned]);
  }
}

const FORBIDDEN: ReadonlySet<string> = new Set(["script", "foreignobject", "iframe"]);

function isHarmless(tagName: string, name: string, value: string): boolean {
  if (!/^[A-Za-z_][\w:.-]*$/.test(name) || /^on/i.test(name)) return false;
  if (!/(^|:)href$/i.test(name)) return !/url\(\s*['"]?(?!['"]?#)/i.test(value) || name === "class";
  const target = value.trim();
  if (tagName === "a") return /^(https?:|mailto:|#)/i.test(target);
  return target.startsWith("#") || /^data:image\/(png|jpeg|gif|webp);/i.test(target);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const GEOMETRY: ReadonlySet<string> = new Set(["transform", "d", "points", "viewBox"]);

function roundedText(name: string, text: string): string {
  if (!GEOMETRY.has(name)) return text;
  return text.replace(/-?\d*\.\d{4,}(e-?\d+)?/g, (number) => String(rounded(Number(number))));
}

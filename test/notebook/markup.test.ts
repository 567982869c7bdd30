import fc from "fast-check";
import { parseFragment } from "parse5";
import { describe, expect, test } from "vitest";
import { escapeHtml, html, Markup, visible } from "../../src/notebook/markup.js";
import { runs } from "../support/campaign.js";
import { anyText } from "./texts.js";

describe("markup", () => {
  test("any text, escaped, is read back as its visible form, as text and as an attribute", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const [element] = parseFragment(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`).childNodes;
        if (element === undefined || !("tagName" in element)) throw new Error("no element");
        expect(element.attrs).toEqual([{ name: "title", value: visible(text) }]);
        const inner = element.childNodes.map((node) => ("value" in node ? node.value : "!")).join("");
        expect(inner).toBe(visible(text));
      }),
      runs(1000),
    );
  });

  test("visible text is well formed and shows control characters", () => {
    expect(visible("a\u0000b\u001b[31m\u007f")).toBe("a␀b␛[31m␡");
    expect(visible("x\ud800y")).toBe("x\ufffdy");
    expect(visible("\ufdd0\u0085")).toBe("\ufffd\ufffd");
    expect(visible("one\r\ntwo\rthree\tfour")).toBe("one\ntwo\nthree\tfour");
    expect(visible("👩‍👩‍👧 שלום 你好")).toBe("👩‍👩‍👧 שלום 你好");
  });

  test("a template escapes values and keeps markup", () => {
    expect(String(html`<b>${"<i>"}</b>${undefined}${[html`<u>${1}</u>`, "&"]}`)).toBe(
      "<b>&lt;i&gt;</b><u>1</u>&amp;",
    );
    expect(String(html`${Markup.trusted("<hr>")}`)).toBe("<hr>");
  });
});

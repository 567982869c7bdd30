import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { displayIn, JUPYTER_DISPLAY, table } from "../../src/notebook.js";

describe("views", () => {
  const view = table([{ n: 1 }], { title: "One" });

  test("tell a Jupyter kernel what they look like, by media type", () => {
    expect(JUPYTER_DISPLAY).toBe(Symbol.for("Jupyter.display"));
    expect(view[JUPYTER_DISPLAY]()).toEqual({ "text/html": view.toHTML(), "text/plain": "One\nn\n1" });
  });

  test("print as plain text", () => {
    expect(inspect(view)).toBe("One\nn\n1");
    expect(`${view}`).toBe("One\nn\n1");
  });

  test("go to a kernel's own display, in order", () => {
    const shown: string[] = [];
    displayIn({ html: (text) => shown.push(text) })(view, table([{ n: 2 }]));
    expect(shown).toEqual([view.toHTML(), table([{ n: 2 }]).toHTML()]);
  });

  test("bring their style with them and nothing from outside", () => {
    const style = /^<style>([^<]*)<\/style>/.exec(view.toHTML())![1]!;
    expect(style).not.toMatch(/url\(|@import|expression|https?:/);
    // Every rule is confined to views, and heavier than what notebooks say of tables.
    const selectors = style.split("\n").flatMap((rule) => rule.slice(0, rule.indexOf("{")).split(","));
    expect(selectors.filter((selector) => !selector.startsWith(".mirrorlake.mirrorlake.mirrorlake"))).toEqual(
      [],
    );
  });

  test("say no colour of text or page, so that they fit light and dark ones", () => {
    const style = /^<style>([^<]*)<\/style>/.exec(view.toHTML())![1]!;
    expect(style).not.toMatch(/(^|[{;])color:/m);
    expect(style.match(/background:[^;}]*/g)!.every((rule) => /none|rgb\([\d ]+\/\.\d+\)/.test(rule))).toBe(
      true,
    );
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const APP = new URL("../../dist/console/app/", import.meta.url);

/** Limits of what a browser loads, gzipped, bytes. */
const FIRST = 60_000;
const PART = 130_000;
const ALL = 330_000;

const read = (name: string) => readFileSync(new URL(name, APP));
const size = (name: string) => gzipSync(read(`assets/${name}`)).length;

test("the console is small: the first load, each part, and all of it", () => {
  const names = readdirSync(new URL("assets/", APP));
  const first = new Set(
    [
      ...read("index.html")
        .toString()
        .matchAll(/\/assets\/([\w.-]+)/g),
    ].map(([, name]) => name!),
  );
  for (const name of first)
    for (const [, imported] of read(`assets/${name}`)
      .toString()
      .matchAll(/\bfrom\s*"\.\/([\w.-]+)"/g))
      first.add(imported!);
  const sum = (of: Iterable<string>) => [...of].reduce((total, name) => total + size(name), 0);
  expect(first.size).toBeGreaterThan(1);
  expect(sum(first)).toBeLessThan(FIRST);
  expect(names.filter((name) => size(name) > PART)).toEqual([]);
  expect(sum(names)).toBeLessThan(ALL);
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MANIFEST_SCHEMA_FILE, sliceManifestSchema } from "../../src/contract/slice/manifest-schema.js";
import { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { manifestText } from "../../src/slice/read-slice-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { RICH_INFO, richItems } from "../sql/rich-lake.js";
import { runs } from "../support/campaign.js";

const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const valid = ajv.compile(sliceManifestSchema());

let dir: string;
let manifests: SliceManifest[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-schema-"));
  async function* items() {
    yield richItems();
  }
  const written = await writeSlices(items(), { out: dir, info: RICH_INFO });
  manifests = await Promise.all(
    written.map(
      async (slice) =>
        JSON.parse(await readFile(join(slice.dir, "datapackage.json"), "utf8")) as SliceManifest,
    ),
  );
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("the JSON Schema of a manifest", () => {
  it("is shipped as it is exported", async () => {
    const file = await readFile(new URL(`../../${MANIFEST_SCHEMA_FILE}`, import.meta.url), "utf8");
    expect(JSON.parse(file)).toEqual(sliceManifestSchema());
  });

  it("takes every manifest that is written, by a validator that is not ours", () => {
    expect(manifests.length).toBeGreaterThan(3);
    expect(manifests.some(({ mirrorlake }) => mirrorlake.embedding !== null)).toBe(true);
    for (const manifest of manifests) expect(valid(manifest) || ajv.errorsText(valid.errors)).toBe(true);
  });

  it("agrees with the check on reading about manifests that are damaged anywhere", () => {
    const [manifest] = manifests;
    const paths: string[][] = [];
    const walk = (value: unknown, path: string[]) => {
      if (path.length > 0) paths.push(path);
      if (value !== null && typeof value === "object") {
        for (const [key, member] of Object.entries(value)) walk(member, [...path, key]);
      }
    };
    walk(manifest, []);
    const damage = fc.constantFrom<unknown>(undefined, null, "", -1, 1.5, "x y", [], {}, true, "../x");
    fc.assert(
      fc.property(fc.constantFrom(...paths), damage, (path, value) => {
        const damaged = structuredClone(manifest) as unknown as Record<string, unknown>;
        const parent = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, damaged);
        if (value === undefined) delete parent[path.at(-1)!];
        else parent[path.at(-1)!] = value;
        const json = JSON.parse(JSON.stringify(damaged)) as unknown;
        expect(valid(json)).toBe(SliceManifest.safeParse(json).success);
      }),
      runs(1000),
    );
  });

  it("is what a manifest must meet to be written", () => {
    const [manifest] = manifests;
    expect(manifestText(manifest!)).toBe(`${JSON.stringify(manifest, null, 2)}\n`);
    expect(() => manifestText({ ...manifest!, title: "" })).toThrow(
      expect.objectContaining({ code: "slice_manifest_invalid" }),
    );
  });
});

describe("a manifest, as Data Package v2 asks", () => {
  const text = { type: "string" };
  const required = (properties: Record<string, object>, names = Object.keys(properties)) => ({
    type: "object",
    properties,
    required: names,
  });
  // The rules of https://datapackage.org/profiles/2.0/ for what manifests use, written down from the standard.
  const field = required(
    {
      name: text,
      type: {
        enum: [
          "string",
          "number",
          "integer",
          "boolean",
          "object",
          "array",
          "list",
          "datetime",
          "date",
          "any",
        ],
      },
    },
    ["name"],
  );
  const schema = required(
    {
      fields: { type: "array", minItems: 1, items: field },
      primaryKey: { type: "array", items: text, minItems: 1 },
    },
    ["fields"],
  );
  const resource = required(
    {
      name: text,
      path: { type: "string", pattern: "^(?=^[^./~])(^((?!\\.{2}).)*$).*$" },
      type: { const: "table" },
      mediatype: { type: "string", pattern: "^(.+)/(.+)$" },
      bytes: { type: "integer" },
      hash: { type: "string", pattern: "^([^:]+:[a-fA-F0-9]+|[a-fA-F0-9]{32}|)$" },
      schema,
    },
    ["name", "path"],
  );
  const descriptor = required(
    {
      $schema: { const: "https://datapackage.org/profiles/2.0/datapackage.json" },
      name: { type: "string", pattern: "^[a-z0-9._-]+$" },
      licenses: {
        type: "array",
        minItems: 1,
        items: { anyOf: [required({ name: text }), required({ path: text })] },
      },
      contributors: { type: "array", minItems: 1, items: required({ title: text }) },
      resources: { type: "array", minItems: 1, items: resource },
    },
    ["resources", "$schema"],
  );

  it("meets the standard's rules, with resource names used once", () => {
    const meets = ajv.compile(descriptor);
    for (const manifest of manifests) {
      expect(meets(manifest) || ajv.errorsText(meets.errors)).toBe(true);
      const names = manifest.resources.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const { schema: table } of manifest.resources) {
        const fields = table.fields.map(({ name }) => name);
        expect(new Set(fields).size).toBe(fields.length);
        expect(fields).toEqual(expect.arrayContaining(table.primaryKey ?? []));
      }
    }
  });
});

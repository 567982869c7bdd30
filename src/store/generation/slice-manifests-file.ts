import { z } from "zod";
import { SliceManifest, SliceResource } from "../../contract/slice/slice-manifest.js";
import { writeNewFile } from "../../files/durable-files.js";

const Resource = SliceResource.extend({ schema: z.number().int().min(0) });

/**
 * Manifests of slices as a generation keeps them: what describes the columns of a table, most of a manifest and in nearly all slices
 * the same, stands once.
 */
export const StoredSliceManifests = z
  .strictObject({
    schemas: z.array(SliceResource.shape.schema),
    slices: z.array(SliceManifest.extend({ resources: z.array(Resource).min(1) })),
  })
  .transform(({ schemas, slices }, context): SliceManifest[] =>
    slices.map((slice) => ({
      ...slice,
      resources: slice.resources.map((resource) => {
        const schema = schemas[resource.schema];
        if (schema !== undefined) return { ...resource, schema };
        context.addIssue({ code: "custom", message: `schema ${resource.schema} of ${schemas.length}` });
        return z.NEVER;
      }),
    })),
  );

/** Writes the manifests of a generation's slices to a new file, for {@link StoredSliceManifests}. */
export async function writeSliceManifests(path: string, manifests: readonly SliceManifest[]): Promise<void> {
  const schemas = new Map<string, number>();
  const slices = manifests.map((manifest) => ({
    ...manifest,
    resources: manifest.resources.map((resource) => {
      const text = JSON.stringify(resource.schema);
      const number = schemas.get(text) ?? schemas.size;
      schemas.set(text, number);
      return { ...resource, schema: number };
    }),
  }));
  const texts = `[${[...schemas.keys()].join(",")}]`;
  await writeNewFile(path, `{"schemas":${texts},"slices":${JSON.stringify(slices)}}`);
}

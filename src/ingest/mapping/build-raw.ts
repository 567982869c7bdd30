import { rawShape } from "../../contract/service/raw-shapes.js";
import { RawItem } from "../../contract/slice/slice-item.js";
import { addressableId } from "../../slice/addressable-id.js";
import { dataFault } from "../../slice/row-faults.js";
import { hasSurelySoundKeys } from "../../slice/surely-sound.js";
import { FieldError } from "../values/field-error.js";
import { shapeError } from "./build-record.js";
import { withoutUndefined } from "./without-undefined.js";

const MAX_PATH = 200;
const Envelope = RawItem.omit({ data: true });

/** A raw item before validation; members may be undefined. */
export type RawDraft = {
  readonly [K in keyof RawItem]: K extends "data" ? object : RawItem[K] | undefined;
};

/**
 * Completes a draft to a raw item: makes its ids addressable and validates it against the shape of its resource, if there is one.
 * @param whatHasRecord what gives data the fields of a record, for rejects of data that has none of them
 * @throws FieldError if it does not fit, or a slice cannot hold its data
 */
export function buildRaw(draft: Partial<RawDraft>, whatHasRecord?: string): RawItem {
  const { data, ...rest } = withoutUndefined(draft);
  const envelope: Record<string, unknown> = { ...rest };
  for (const key of ["id", "parent", "reply_to", "author"] as const) {
    const id = rest[key];
    if (typeof id === "string") envelope[key] = addressableId(id);
  }
  if (!hasSurelySoundKeys(envelope)) {
    const parsed = Envelope.safeParse(envelope);
    if (!parsed.success) throw shapeError(parsed.error.issues, envelope);
  }
  const keys = envelope as unknown as Omit<RawItem, "data">;
  const shape = rawShape(keys.platform, keys.resource);
  if (shape !== undefined) {
    const checked = shape.safeParse(data ?? {});
    if (!checked.success) {
      const error = shapeError(checked.error.issues, data, "data");
      const lacksRecord = checked.error.issues.some(({ path }) => path[0] === "prov" && path.length === 1);
      if (whatHasRecord === undefined || !lacksRecord) throw error;
      throw new FieldError(error.field, `${error.message}; ${whatHasRecord} fills in the fields of a record`);
    }
  }
  const fault = dataFault(data ?? {});
  if (fault !== undefined) throw new FieldError(shortened(fault.field), fault.rule, fault.value);
  return { ...keys, data: (data ?? {}) as RawItem["data"] };
}

/** The start of a path that may have hundreds of members. */
function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}

import { z } from "zod";

/**
 * How well a behaviour is known: `specified` by service.md, `assumed` where that is silent, `observed` in a
 * recording of the remote service. Source: decisions.md, opening section.
 */
export const Label = z.enum(["specified", "assumed", "observed"]);
export type Label = z.infer<typeof Label>;

import { z } from "zod";

/**
 * Origin of a behaviour: `specified` by service.md, `assumed` where service.md is silent, or `observed` in a
 * recording of the remote service. Source: decisions.md, opening section.
 */
export const Label = z.enum(["specified", "assumed", "observed"]);
export type Label = z.infer<typeof Label>;

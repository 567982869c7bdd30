import { z } from "zod";
import type { AnswerFigures } from "./answer.js";

/** Schema of an answer's figures, the same for every tool. */
export const FiguresSchema = z.object({
  shown: z.int(),
  left_out: z.int(),
  next: z.array(z.unknown()),
  charged_usd: z.string(),
}) as unknown as z.ZodType<AnswerFigures>;

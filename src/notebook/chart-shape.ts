import { z } from "zod";

const PixelsOption = z.number().positive();

/** Schemas of the options that every chart has. */
export const chartShape = () => ({
  title: z.string().optional(),
  subtitle: z.string().optional(),
  note: z.string().optional(),
  width: PixelsOption.optional(),
  height: PixelsOption.optional(),
});

import type { Rule } from "./rule.js";
import { SECTION_1 } from "./rules/section-1.js";
import { SECTION_2 } from "./rules/section-2.js";
import { SECTION_4_RULES } from "./rules/section-4.js";
import { SECTION_5 } from "./rules/section-5.js";
import { SECTION_7 } from "./rules/section-7.js";
import { SECTIONS_8_AND_9 } from "./rules/section-8.js";

/** Every rule, in the order of service.md. Sections 3 and 6 say nothing that could be checked. */
export const RULES: readonly Rule[] = [
  ...SECTION_1,
  ...SECTION_2,
  ...SECTION_4_RULES,
  ...SECTION_5,
  ...SECTION_7,
  ...SECTIONS_8_AND_9,
];

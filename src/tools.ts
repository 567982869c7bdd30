/** Tools for language models, in no framework's form, over a lake or the remote service. @module mirrorlake/tools */
export type { AnswerFigures, NextCall, ToolAnswer, ToolFailure } from "./tools/answer.js";
export { type Citation, formatCitation, parseCitation } from "./tools/citation.js";
export { countTokens } from "./tools/count-tokens.js";
export { readQuoted } from "./tools/quoted-data.js";
export { type Resolved, resolveCitation } from "./tools/resolve-citation.js";
export type { ExecuteOptions, Tool, ToolAnnotations, ToolClient } from "./tools/tool.js";
export { toolJsonSchema } from "./tools/tool-json-schema.js";
export { type ToolName, type ToolsOptions, tools } from "./tools/tools.js";

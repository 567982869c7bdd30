import { asSentence, BudgetError } from "../contract/errors.js";
import { parseUsd } from "../contract/money.js";
import type { ToolAnswer } from "../tools/answer.js";
import { countTokens } from "../tools/count-tokens.js";
import { TOOL_DEFAULTS } from "../tools/defaults.js";
import type { Tool } from "../tools/tool.js";
import type { Allowance } from "./allowance.js";

/** Tokens that the line about what is left can take. */
const LINE_TOKENS = 40;

/** A tool whose calls count against an allowance; a refusal is an answer that says what is left and what would be needed. */
export function budgetedTool(tool: Tool, allowance: Allowance): Tool {
  return {
    ...tool,
    async execute(input, options = {}) {
      // What is not begun takes nothing from the allowance. Loaded for the first call: a program that only imports the package has none.
      const { checkExecute } = await import("../tools/tool.js");
      checkExecute(options);
      options.signal?.throwIfAborted();
      const left = allowance.left("tokens") ?? Number.POSITIVE_INFINITY;
      const most = Math.min(options.tokens ?? tool.maxTokens, tool.maxTokens);
      const tokens = Math.min(most, Math.max(left, TOOL_DEFAULTS.minTokens));
      const price = parseUsd(tool.maxUsd);
      let share: ReturnType<Allowance["reserve"]>;
      try {
        share = allowance.reserve(tool.name, {
          usd: price,
          calls: 1,
          tokens: left === Number.POSITIVE_INFINITY ? 0 : tokens,
        });
      } catch (error) {
        if (error instanceof BudgetError) return refusal(error, allowance);
        throw error;
      }
      let answer: ToolAnswer | undefined;
      try {
        answer = await tool.execute(input, { ...options, tokens: Math.max(1, tokens - LINE_TOKENS) });
      } finally {
        const usd = answer === undefined ? price : parseUsd(answer.structured.charged_usd);
        share.settle({ usd, tokens: answer === undefined ? 0 : answer.tokens });
      }
      const text = [answer.text, allowance.words()].filter((part) => part !== "").join("\n");
      return { ...answer, text, tokens: answer.tokens + countTokens(allowance.words()) };
    },
  };
}

function refusal({ code, message, remedy }: BudgetError, allowance: Allowance): ToolAnswer {
  const text = `${asSentence(message)} ${remedy} ${allowance.words()} Nothing was called.`;
  return {
    text,
    structured: { shown: 0, left_out: 0, next: [], charged_usd: "0.000000" },
    isError: true,
    failure: { code, message, remedy },
    tokens: countTokens(text),
    citations: [],
    records: [],
  };
}

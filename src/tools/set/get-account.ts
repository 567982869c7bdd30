import { z } from "zod";
import { rowsFrom } from "../cited-rows.js";
import { named } from "../endpoints.js";
import { plainJson } from "../plain-json.js";
import { defineTool } from "../tool.js";
import { PartInput, SkipInput, TextInput } from "./shared-input.js";

/** Whether a model gave nothing; some say so with an empty list. */
const isAbsent = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);

/** Balance, quota, rate limit and usage of the account; what is left of a budget stands in every answer. */
export const getAccount = defineTool({
  name: "get_account",
  title: "Balance and usage",
  description: "What is left and what was spent: balance, free calls, rate limit, calls and money. Free.",
  input: z.strictObject({
    from: TextInput,
    to: TextInput,
    by: z.array(z.enum(["day", "endpoint", "key"])).optional(),
    skip: SkipInput,
    part: PartInput,
  }),
  endpoints: named("account.show", "account.usage"),
  run: async ({ skip, part, ...input }, { call }) => {
    const params = Object.fromEntries(Object.entries(input).filter(([, value]) => !isAbsent(value)));
    const [account, usage] = await Promise.all([
      call("account.show", {}),
      call("account.usage", { by: ["endpoint"], ...params }),
    ]);
    const { items = [], ...sums } = usage.data as { readonly items?: readonly unknown[] };
    const rows = [{ ...(account.data as object), usage: sums }, ...items];
    return {
      noun: "line",
      what: ": the account, then its usage",
      ...rowsFrom(
        rows.map((row) => ({ value: plainJson(row), cite: undefined })),
        { skip, part },
        (at) => ({ tool: "get_account", arguments: { ...params, ...at } }),
      ),
    };
  },
});

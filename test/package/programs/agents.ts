import type { Client } from "mirrorlake";
import { aiTools } from "mirrorlake/ai";

/** Standard Schema 1, as frameworks ask for it (https://standardschema.dev). */
interface StandardSchema<Input, Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** The tools of the AI SDK take a Standard Schema. */
export function schemas(client: Client): Record<string, StandardSchema<unknown, Record<string, unknown>>> {
  const tools = aiTools(client);
  return Object.fromEntries(Object.entries(tools).map(([name, { inputSchema }]) => [name, inputSchema]));
}

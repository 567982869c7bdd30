/** As much of zod's types as a row of the catalogue names; every schema of zod 4 fits. */
export declare namespace z {
  /** A schema of zod 4. */
  interface ZodType<Output = unknown, Input = unknown> {
    readonly _zod: { readonly output: Output; readonly input: Input };
    /** The schema as Standard Schema has it (https://standardschema.dev), which frameworks take. */
    readonly "~standard": Standard<Input, Output>;
    /** Throws a `ZodError` for a value that does not fit. */
    parse(value: unknown): Output;
    safeParse(value: unknown): {
      readonly success: boolean;
      readonly data?: unknown;
      readonly error?:
        | { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] }
        | undefined;
    };
  }
  /** What checks a value, by Standard Schema 1. */
  interface Standard<Input, Output> {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
  }
  /** The checked value, or what is wrong with it. */
  type Checked<Output> =
    | { readonly value: Output; readonly issues?: undefined }
    | {
        readonly issues: readonly {
          readonly message: string;
          readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
        }[];
      };
  /** The schema of an object. */
  interface ZodObject extends ZodType {
    readonly shape: Readonly<
      Record<string, { readonly _zod: { readonly output: unknown; readonly input: unknown } }>
    >;
  }
}

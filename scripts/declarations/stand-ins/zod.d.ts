/** As much of zod's types as a row of the catalogue names; every schema of zod 4 fits. */
export declare namespace z {
  /** A schema of zod 4. */
  interface ZodType<Output = unknown, Input = unknown> {
    readonly _zod: { readonly output: Output; readonly input: Input };
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
  /** The schema of an object. */
  interface ZodObject extends ZodType {
    readonly shape: Readonly<
      Record<string, { readonly _zod: { readonly output: unknown; readonly input: unknown } }>
    >;
  }
}

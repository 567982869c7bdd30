/** The part of WebAssembly's JavaScript interface used here. Node's types leave it to the DOM library. */
declare namespace WebAssembly {
  class Memory {
    /** A SharedArrayBuffer in shared memory; views of both are used alike. */
    readonly buffer: ArrayBuffer;
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
    grow(pages: number): number;
  }
  class Module {
    readonly compiled?: never;
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>;
    constructor(module: Module);
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    module: Module,
    imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<Instance>;
}

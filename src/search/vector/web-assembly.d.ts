/** The part of WebAssembly's JavaScript interface used here. Node's types leave it to the DOM library. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
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
  function instantiate(module: Module): Promise<Instance>;
}

/** The part of WebAssembly's JavaScript interface used here. Node's types leave it to the DOM library. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  interface Module {
    readonly compiled?: never;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module): Promise<Instance>;
}

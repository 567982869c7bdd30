import wabt from "wabt";

/**
 * Assembles the WebAssembly text of the vector kernels. Throws with the assembler's message where it is not valid.
 * @param {string} text
 * @returns {Promise<Uint8Array>}
 */
export async function compileKernels(text) {
  const { parseWat } = await wabt();
  const module = parseWat("kernels.wat", text, { simd: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

/**
 * The TypeScript module that carries the assembled kernels, as `npm run task kernels` writes it.
 * @param {Uint8Array} binary
 * @returns {string}
 */
export function kernelsModule(binary) {
  const lines =
    Buffer.from(binary)
      .toString("base64")
      .match(/.{1,100}/g) ?? [];
  return [
    "/** The kernels of kernels.wat, assembled by `npm run task kernels`; base64. */",
    "export const KERNELS_BINARY = [",
    ...lines.map((line) => `  ${JSON.stringify(line)},`),
    '].join("");',
    "",
  ].join("\n");
}

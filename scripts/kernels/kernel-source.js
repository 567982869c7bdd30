import wabt from "wabt";

/** How kernels declare memory, and how those do that are given memory that threads share. */
const OWN = '(memory (export "memory") 1)';
const SHARED = '(import "shared" "memory" (memory 1 65536 shared))';

/**
 * Assembles the WebAssembly text of kernels. Throws with the assembler's message where it is not valid.
 * @param {string} text
 * @returns {Promise<Uint8Array>}
 */
export async function compileKernels(text) {
  const { parseWat } = await wabt();
  const module = parseWat("kernels.wat", text, { simd: true, threads: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

/**
 * The TypeScript module that carries the assembled kernels, as `npm run task kernels` writes it.
 * @param {string} text
 * @param {{ shared?: boolean }} [options] shared: also those that are given memory that threads share
 * @returns {Promise<string>}
 */
export async function kernelsModule(text, { shared = false } = {}) {
  const parts = [constantOf("KERNELS_BINARY", "The kernels of kernels.wat", await compileKernels(text))];
  if (shared) {
    if (!text.includes(OWN)) throw new Error(`kernels that can share memory declare it so: ${OWN}`);
    const binary = await compileKernels(text.replace(OWN, SHARED));
    parts.push(constantOf("SHARED_KERNELS_BINARY", "The same, for memory that threads share", binary));
  }
  return parts.join("\n");
}

/**
 * @param {string} name
 * @param {string} about
 * @param {Uint8Array} binary
 */
function constantOf(name, about, binary) {
  const lines =
    Buffer.from(binary)
      .toString("base64")
      .match(/.{1,100}/g) ?? [];
  return [
    `/** ${about}, assembled by \`npm run task kernels\`; base64. */`,
    `export const ${name} = [`,
    ...lines.map((line) => `  ${JSON.stringify(line)},`),
    '].join("");',
    "",
  ].join("\n");
}

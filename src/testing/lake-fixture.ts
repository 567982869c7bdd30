import { checkArgument } from "../contract/check-options.js";
import { CallbackOption } from "../contract/option-schemas.js";
import { prepareTestLake } from "./create-test-lake.js";
import type { TestLake } from "./test-lake.js";
import type { TestLakeOptions } from "./test-lake-options.js";

/**
 * Makes a fixture for vitest: `const test = base.extend({ lake: lakeFixture({ file }) })`. Each test gets a lake of its own in its
 * first state; their content is prepared once a worker.
 */
export function lakeFixture(
  options: TestLakeOptions = {},
): (context: object, use: (lake: TestLake) => Promise<void>) => Promise<void> {
  const prepare = once(() => prepareTestLake(options));
  // vitest reads the names of other fixtures from this pattern.
  // biome-ignore lint/correctness/noEmptyPattern: it needs none
  return async ({}, use) => {
    const open = await prepare();
    const lake = await open();
    try {
      await use(lake);
    } finally {
      await lake.close();
    }
  };
}

/**
 * Runs a test with a lake of its own, which is closed afterwards: for node:test, jest and others.
 * @throws UsageError `invalid_argument`; what `createTestLake` and the test throw
 */
export async function withTestLake<T>(
  options: TestLakeOptions,
  test: (lake: TestLake) => Promise<T> | T,
): Promise<T> {
  checkArgument(CallbackOption, test, "test", "withTestLake");
  const open = await prepareTestLake(options);
  const lake = await open();
  try {
    return await test(lake);
  } finally {
    await lake.close();
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

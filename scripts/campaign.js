/**
 * Runs the repeated tests at length: kills, random sequences, fuzz, properties. Every test file that says by
 * test/support/campaign.ts how often it repeats takes part, unless files are named.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HELP = `usage: npm run test:campaign -- [--factor N] [--seed N] [FILE…]

  --factor N  how many times the rounds of npm test (default 10)
  --seed N    where the randomness begins, to repeat a campaign (default: another each time; it is printed)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    factor: { type: "string", default: "10" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(HELP);
else {
  console.log(`campaign: ${values.factor} times the rounds of npm test, seed ${values.seed}`);
  const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
  const what =
    positionals.length > 0 ? ["run", ...positionals] : ["related", "--run", "test/support/campaign.ts"];
  const child = spawn(process.execPath, [vitest, ...what], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, MIRRORLAKE_CAMPAIGN: values.factor, MIRRORLAKE_SEED: values.seed },
    stdio: "inherit",
  });
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}

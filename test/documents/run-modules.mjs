// Runs modules one after another, each in its folder. Reads [{ name, file, folder }] from standard input; the last line of
// standard output is [{ name, error?, printed }].
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const write = process.stdout.write.bind(process.stdout);
const outcomes = [];
for (const { name, file, folder } of JSON.parse(await text(process.stdin))) {
  let printed = "";
  process.stdout.write = (part) => {
    printed += part;
    return true;
  };
  process.chdir(folder);
  try {
    await import(pathToFileURL(file).href);
    outcomes.push({ name, printed });
  } catch (error) {
    outcomes.push({ name, printed, error: String(error?.stack ?? error) });
  }
}
process.stdout.write = write;
// A block may leave a lake open, as a program that goes on would: the process ends all the same.
write(`\n${JSON.stringify(outcomes)}`, () => process.exit(0));

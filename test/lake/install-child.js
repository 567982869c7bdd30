// Installs slices in a process of its own, which tests kill: node install-child.js <lake> <slices…>
// Prints a line for every step of progress, at once, so that the killer knows where the work stands.
import { writeSync } from "node:fs";
import { installSlices } from "mirrorlake";

const [lake, ...dirs] = process.argv.slice(2);
const report = await installSlices(dirs, {
  lake,
  threads: 1,
  onProgress: ({ phase, done }) => writeSync(1, `${phase} ${done}\n`),
});
writeSync(1, `installed ${report.generation}\n`);

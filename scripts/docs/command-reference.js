// The reference of the command line, as Markdown: every command with the text of its --help.

const MARKED = /(<!-- reference:begin[^>]*-->\n)[\s\S]*?(<!-- reference:end -->)/;
const COLUMNS = 100;

/** Commands that do something themselves, with their names in full: `keys create`. */
function leaves(command, path = []) {
  return command.commands
    .filter((child) => child.name() !== "help")
    .flatMap((child) => {
      const here = [...path, child.name()];
      return child.commands.length > 0 ? leaves(child, here) : [{ name: here.join(" "), command: child }];
    });
}

/**
 * The text of docs/command-line.md with the reference of every command between its markers.
 *
 * @param {string} text the document as it is
 * @param {typeof import("../../src/cli/program.js").createProgram} createProgram makes the program of the command line
 */
export async function withCommandReference(text, createProgram) {
  if (!MARKED.test(text)) throw new Error("docs/command-line.md has no markers of the reference");
  let help = "";
  const write = (part) => {
    help += part;
  };
  const stream = {
    write,
    data: write,
    redraw: write,
    drained: async () => {},
    deliver: async () => {},
    styleMark: "",
    isTty: false,
    columns: COLUMNS,
    color: false,
  };
  const program = await createProgram({
    out: stream,
    err: stream,
    env: {},
    cwd: "/",
    signal: new AbortController().signal,
    fail: () => {},
  });
  const sections = leaves(program).map(({ name, command }) => {
    help = "";
    command.outputHelp();
    return `## mirrorlake ${name}\n\n\`\`\`text help\n${help.trimEnd()}\n\`\`\`\n`;
  });
  return text.replace(MARKED, (_, begin, end) => `${begin}\n${sections.join("\n")}\n${end}`);
}

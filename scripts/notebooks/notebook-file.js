/** A notebook as it is kept: no outputs, no counts, no trace of who ran it; one form, so that a diff shows what changed. */
export function cleaned(notebook) {
  return {
    cells: notebook.cells.map(({ id, cell_type, source, metadata }) => ({
      cell_type,
      ...(cell_type === "code" ? { execution_count: null } : {}),
      id,
      metadata: metadata?.tags === undefined ? {} : { tags: metadata.tags },
      ...(cell_type === "code" ? { outputs: [] } : {}),
      source: linesOf(source),
    })),
    metadata: {
      kernelspec: { display_name: "TypeScript", language: "typescript", name: "tslab" },
      language_info: { file_extension: ".ts", mimetype: "text/typescript", name: "typescript" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
}

/** The bytes of a notebook file, as Jupyter itself writes them: one space of indentation, sorted by the caller. */
export function written(notebook) {
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

/** What went wrong in an executed notebook: a line a fault, empty where all is well. */
export function faults(notebook) {
  return notebook.cells
    .filter((cell) => cell.cell_type === "code")
    .flatMap((cell) => {
      const where = `cell ${cell.id}`;
      const errors = cell.outputs.filter(isFault).map((output) => `${where}: ${faultText(output)}`);
      // The kernel counts no executions; the client notes when a cell was answered.
      const ran = cell.metadata?.execution?.["shell.execute_reply"] !== undefined;
      return ran || errors.length > 0 ? errors : [`${where} did not run`];
    });
}

function isFault({ output_type, name }) {
  return output_type === "error" || (output_type === "stream" && name === "stderr");
}

function faultText({ ename, evalue, text }) {
  return (text === undefined ? `${ename}: ${evalue}` : linesOf(text).join("")).trim();
}

function linesOf(source) {
  const text = Array.isArray(source) ? source.join("") : source;
  return text === "" ? [] : text.match(/[^\n]*\n|[^\n]+$/g);
}

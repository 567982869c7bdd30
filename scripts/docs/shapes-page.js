// The page of shapes, as Markdown: what every resource's data has to look like, from the schemas that ingestion checks with.

const HEAD = `# Shapes

What the record and the data of each raw resource look like: the fields, their types and units, and what is required. The page is made from
the schemas that ingestion checks with; \`mirrorlake ingest --explain comment\` prints one of them. A field is required where
[service.md](service.md) has it in every answer, or where an endpoint cannot find, page or rank the item without it. The data of a resource
that is not here is not checked.
`;

/** A cell of a table: no line ends, no bars. */
function cell(text) {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

/**
 * The text of docs/shapes.md.
 *
 * @param {typeof import("../../src/ingest/explain-shape.js")} shapes
 */
export function shapesPage({ EXPLAINED, explainShape }) {
  const sections = EXPLAINED.map((name) => {
    const { meaning, open, fields } = explainShape(name);
    const rows = fields.map(
      (field) =>
        `| \`${field.name}\` | ${cell(field.type)} | ${field.required ? "yes" : ""} | ${cell(field.meaning)} |`,
    );
    const further = open ? "Further fields are kept." : "Further fields are refused.";
    const table = ["| field | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
    return `## ${name}\n\n${cell(meaning)}.\n\n${table}\n\n${further}\n`;
  });
  return `${HEAD}\n${sections.join("\n")}`;
}

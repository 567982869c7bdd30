import ts from "typescript";

/**
 * Lets optional members be undefined: `x?: T` becomes `x?: T | undefined`, so that programs with `exactOptionalPropertyTypes` may
 * pass on an option of their own that is undefined. The package takes both alike.
 * @param {string} code declarations
 * @returns {string}
 */
export function withUndefinedMembers(code) {
  const source = ts.createSourceFile("declarations.d.ts", code, ts.ScriptTarget.Latest, true);
  /** @type {{ start: number, end: number }[]} */
  const types = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const member = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node : undefined;
    if (member?.questionToken !== undefined && member.type !== undefined && !mayBeUndefined(member.type))
      types.push({ start: member.type.getStart(source), end: member.type.end });
    ts.forEachChild(node, visit);
  };
  visit(source);
  // Nested members first: an edit inside a type moves the end of the type around it.
  const edits = types.flatMap(({ start, end }) => [
    { at: start, text: "(" },
    { at: end, text: ") | undefined" },
  ]);
  edits.sort((a, b) => b.at - a.at || (a.text === "(" ? 1 : -1));
  let out = code;
  for (const { at, text } of edits) out = out.slice(0, at) + text + out.slice(at);
  return out;
}

/** @param {ts.TypeNode} type */
function mayBeUndefined(type) {
  const parts = ts.isUnionTypeNode(type) ? type.types : [type];
  return parts.some(({ kind }) =>
    [ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.AnyKeyword, ts.SyntaxKind.UnknownKeyword].includes(kind),
  );
}

// Replaces types that zod infers by what they are, so that the published declarations need none of zod's: its types alone take the
// compiler 4 s and 90 MB. Comments on the fields of a schema, and what `.describe()` says of them, become comments of the type.
import { dirname, relative, resolve } from "node:path";
import ts from "typescript";

const { TypeFlags, SymbolFlags } = ts;

/** Whether a type alias says what it is by way of a schema. */
const INFERRED = /\bz\.(infer|input|output)\b|\(typeof [A-Z_]+\)\[/;

/** The declarations of a program's types that schemas infer. */
export class InferredTypes {
  #checker;
  /** Types that a schema of the project infers, each with the alias that names it. */
  #named = new Map();
  #program;

  /** @param {ts.Program} program */
  constructor(program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    for (const file of program.getSourceFiles()) {
      if (file.isDeclarationFile) continue;
      for (const node of inferredAliases(file)) {
        const inner =
          ts.isTypeReferenceNode(node.type) && node.type.typeName.getText(file) === "Readonly"
            ? node.type.typeArguments[0]
            : node.type;
        const type = this.#checker.getTypeFromTypeNode(inner);
        if (type.flags & TypeFlags.Object)
          this.#named.set(type, { name: node.name.text, file: file.fileName });
      }
    }
  }

  /**
   * The declaration file of a source file, with the inferred types said in full and without the schemas of the same names.
   * @param {string} fileName of the source
   * @param {string} text of the declarations
   */
  expand(fileName, text) {
    const source = this.#program.getSourceFile(fileName);
    const types = new Map();
    for (const node of inferredAliases(source)) {
      const printer = new TypePrinter(this.#checker, this.#named, node);
      types.set(node.name.text, printer.print(this.#checker.getTypeAtLocation(node.name), ""));
    }
    return types.size === 0 ? text : withExpandedTypes(text, types);
  }
}

function inferredAliases(file) {
  if (!/ from "zod"/.test(file.text)) return [];
  return file.statements.filter(
    (node) =>
      ts.isTypeAliasDeclaration(node) &&
      node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) &&
      node.typeParameters === undefined &&
      INFERRED.test(node.type.getText(file)),
  );
}

class TypePrinter {
  #checker;
  #named;
  #alias;
  #from;
  #open = new Set();

  /** @param {ts.TypeAliasDeclaration} alias whose type is printed, so that its name does not say it */
  constructor(checker, named, alias) {
    this.#checker = checker;
    this.#named = named;
    this.#alias = alias;
    this.#from = alias.getSourceFile().fileName;
  }

  /** @param {ts.Type} type @returns {string} */
  print(type, indent) {
    const checker = this.#checker;
    const name = this.#nameOf(type);
    if (name !== undefined) return name;
    if (type.isUnion() && !(type.flags & (TypeFlags.Boolean | TypeFlags.Enum)))
      return this.#union(type, indent);
    if (!(type.flags & TypeFlags.Object))
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    if (checker.isArrayType(type) || checker.isTupleType(type)) return this.#array(type, indent);
    if (type.symbol !== undefined && this.#isGlobal(type.symbol)) return checker.typeToString(type);
    if (this.#open.has(type)) throw new Error(`A type of ${this.#from} holds itself: name it in the source`);
    this.#open.add(type);
    const text = this.#object(type, indent);
    this.#open.delete(type);
    return text;
  }

  /** The name of a type that the project declares, or of zod's JSON type; undefined for what has to be said in full. */
  #nameOf(type) {
    if (type.aliasSymbol?.name === "JSONType") return this.#reference("src/contract/json.ts", "Json");
    const symbol =
      type.aliasSymbol ??
      (type.flags & TypeFlags.Object && type.symbol?.flags & SymbolFlags.Interface ? type.symbol : undefined);
    const declaration = symbol?.declarations?.find((node) => !ts.isVariableDeclaration(node));
    const own = declaration?.getSourceFile().fileName;
    const isOwn = own !== undefined && !own.includes("/node_modules/") && !declaration.typeParameters;
    if (isOwn && symbol !== this.#checker.getSymbolAtLocation(this.#alias.name))
      return this.#reference(own, symbol.name);
    const known = this.#named.get(type);
    if (known === undefined || known.name === this.#alias.name.text) return undefined;
    return this.#reference(known.file, known.name);
  }

  #reference(file, name) {
    if (resolve(file) === resolve(this.#from)) return name;
    const path = relative(dirname(resolve(this.#from)), resolve(file)).replace(/\.ts$/, ".js");
    return `import("${path.startsWith(".") ? path : `./${path}`}").${name}`;
  }

  /** Unions in the order of their declaration, `true | false` as `boolean`. */
  #union(type, indent) {
    const members = [
      ...new Set((type.origin?.types ?? type.types).map((member) => this.print(member, indent))),
    ];
    const kept = members.filter((member) => member !== "true" && member !== "false");
    const bottom = (member) => Number(member === "null") + 2 * Number(member === "undefined");
    const boolean =
      members.includes("true") && members.includes("false")
        ? ["boolean"]
        : members.filter((m) => !kept.includes(m));
    return [...boolean, ...kept].sort((a, b) => bottom(a) - bottom(b)).join(" | ");
  }

  #array(type, indent) {
    const items = this.#checker.getTypeArguments(type).map((item) => this.print(item, indent));
    if (this.#checker.isTupleType(type))
      return `${type.target.readonly ? "readonly " : ""}[${items.join(", ")}]`;
    const name = type.symbol?.name === "ReadonlyArray" ? "ReadonlyArray" : "Array";
    return `${name}<${items[0]}>`;
  }

  #object(type, indent) {
    const checker = this.#checker;
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0)
      return checker.typeToString(type);
    const inner = `${indent}    `;
    const lines = [];
    let gaps = ""; // an index covers the optional properties too
    for (const property of checker.getPropertiesOfType(type)) {
      const optional = (property.flags & SymbolFlags.Optional) !== 0;
      if (optional) gaps = " | undefined";
      let of = checker.getTypeOfSymbol(property);
      if (optional && of.isUnion())
        of = checker.getNonNullableType(of) === of ? of : withoutUndefined(checker, of);
      for (const line of this.#comment(property)) lines.push(`${inner}${line}`);
      const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
      const text = this.print(of, inner);
      lines.push(`${inner}readonly ${name}${optional ? `?: ${text} | undefined` : `: ${text}`};`);
    }
    for (const { keyType, type: value } of checker.getIndexInfosOfType(type))
      lines.push(
        `${inner}readonly [key: ${checker.typeToString(keyType)}]: ${this.print(value, inner)}${gaps};`,
      );
    return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
  }

  #comment(property) {
    const written = ts.displayPartsToString(property.getDocumentationComment(this.#checker)).trim();
    const text = written || this.#described(property.valueDeclaration ?? property.declarations?.[0]);
    return text === undefined || text === ""
      ? []
      : [`/** ${text.replaceAll("*/", "*\\/").replace(/\s*\n\s*/g, " ")} */`];
  }

  /** What `.describe()` says in the expression of a schema, or in the constant that the expression begins with. */
  #described(declaration, depth = 0) {
    if (declaration === undefined || depth > 8) return undefined;
    if (ts.isShorthandPropertyAssignment(declaration))
      return this.#described(
        this.#checker.getShorthandAssignmentValueSymbol(declaration)?.valueDeclaration,
        depth + 1,
      );
    let at = declaration.initializer;
    while (at !== undefined) {
      if (ts.isCallExpression(at)) {
        const method = ts.isPropertyAccessExpression(at.expression) ? at.expression.name.text : undefined;
        const [said] = at.arguments;
        if (method === "describe" && said !== undefined && ts.isStringLiteralLike(said)) return said.text;
        at = at.expression;
      } else if (ts.isPropertyAccessExpression(at)) {
        at = at.expression;
      } else break;
    }
    if (at === undefined || !ts.isIdentifier(at)) return undefined;
    let symbol = this.#checker.getSymbolAtLocation(at);
    if (symbol !== undefined && symbol.flags & SymbolFlags.Alias)
      symbol = this.#checker.getAliasedSymbol(symbol);
    const source = symbol?.valueDeclaration;
    return source !== undefined && ts.isVariableDeclaration(source)
      ? this.#described(source, depth + 1)
      : undefined;
  }

  #isGlobal(symbol) {
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined || (symbol.flags & SymbolFlags.TypeLiteral) !== 0) return false;
    const file = declaration.getSourceFile();
    return file.hasNoDefaultLib || /\/typescript\/lib\//.test(file.fileName);
  }
}

function withoutUndefined(checker, type) {
  const kept = type.types.filter((member) => !(member.flags & TypeFlags.Undefined));
  return kept.length === 1
    ? kept[0]
    : (checker.getUnionType?.(kept) ??
        Object.assign(Object.create(type), { types: kept, origin: undefined }));
}

function withExpandedTypes(text, types) {
  const file = ts.createSourceFile("x.d.ts", text, ts.ScriptTarget.Latest, true);
  let out = "";
  let from = 0;
  for (const node of file.statements) {
    const alias = ts.isTypeAliasDeclaration(node) ? types.get(node.name.text) : undefined;
    const schema =
      ts.isVariableStatement(node) &&
      node.declarationList.declarations.every(({ name }) => ts.isIdentifier(name) && types.has(name.text));
    const replaced = ts.isTypeAliasDeclaration(node) ? node.type : undefined;
    if (alias === undefined && !schema) continue;
    out += text.slice(from, replaced?.getStart(file) ?? node.getFullStart()) + (schema ? "" : alias);
    from = (replaced ?? node).getEnd();
  }
  return out + text.slice(from);
}

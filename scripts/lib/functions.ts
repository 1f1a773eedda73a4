/** Measures the length of each function of a file, including nested ones. */
import ts from "typescript";

/** A function of a file, and its length. */
export interface FunctionLength {
  readonly path: string;
  /** The line where it begins. */
  readonly line: number;
  readonly lines: number;
}

/** Every function of the text that has a body. */
export function functionsOf(path: string, text: string): FunctionLength[] {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
  const lineAt = (position: number): number =>
    file.getLineAndCharacterOfPosition(position).line + 1;
  const found: FunctionLength[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const line = lineAt(node.getStart(file));
    found.push({ path, line, lines: lineAt(node.getEnd()) - line + 1 });
  };
  visit(file);
  return found;
}

/** Undefined for a file without functions. */
export const longestFunction = (path: string, text: string): FunctionLength | undefined =>
  functionsOf(path, text).toSorted((a, b) => b.lines - a.lines)[0];

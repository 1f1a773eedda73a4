/** Finds comments that describe a parameter or field that has been renamed or removed. */
import ts from "typescript";

/** A name that a comment describes. */
export interface StaleName {
  /** The line of what the comment is about. */
  readonly line: number;
  readonly name: string;
}

/** A sentence that describes something by its name: "`limit`: the most that are returned." */
const described = /(?:\/\*\*|\. |\.\n)[\s*]*`([a-z]\w*)`:/g;
const literals: ReadonlySet<string> = new Set(["false", "null", "true", "undefined"]);

/** Names that the comment before a declaration describes and the declaration does not contain. */
export function staleNames(path: string, text: string): StaleName[] {
  if (text.search(described) < 0) return [];
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, kind);
  const found: StaleName[] = [];
  const visit = (node: ts.Node): void => {
    const [comment] = isFirstOf(node)
      ? []
      : (ts.getLeadingCommentRanges(text, node.pos)?.slice(-1) ?? []);
    const words = comment ? text.slice(comment.pos, comment.end) : "";
    for (const [, name = ""] of words.matchAll(described)) {
      const code = node.getText(file);
      if (literals.has(name) || new RegExp(`\\b${name}\\b`).test(code)) continue;
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push({ line: line + 1, name });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** It begins where the declaration around it does, whose comment it then seems to have. */
const isFirstOf = (node: ts.Node): boolean =>
  node.parent !== undefined && node.parent.pos === node.pos;

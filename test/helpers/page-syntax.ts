/** Checks the syntax of documentation blocks that are not run, with available tools. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./data-directory";
import type { Block } from "./page-blocks";

/** @throws Error with what is wrong. */
export async function checkSyntax({ language, text }: Block): Promise<void> {
  switch (language) {
    case "sh":
      return asked(["bash", "-n"], "", text);
    case "json":
      return void JSON.parse(text);
    case "yaml":
      return void Bun.YAML.parse(text);
    case "toml":
      return void Bun.TOML.parse(text);
    case "ts":
    case "js":
      return readsAsCode(text);
    case "python":
      return asked(["python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"], "", text);
    case "nginx":
      return asked(
        ["nginx", "-t", "-e", "stderr", "-g", "pid /dev/null;", "-c"],
        "nginx.conf",
        `events {}\nhttp { server {\n${text}\n} }\n`,
      );
    case "caddyfile":
      return asked(
        ["caddy", "adapt", "--adapter", "caddyfile", "--config"],
        "Caddyfile",
        `dossier.example {\n${text}\n}\n`,
      );
    case "text":
      return;
    default:
      throw new Error(`nobody knows the syntax of ${language || "a block without a language"}`);
  }
}

/** Statements, or a part of a list or of an object. */
function readsAsCode(shown: string): void {
  // An omission, as an argument.
  const text = shown.replaceAll(", …", "");
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const ways = [text, `(async () => {${text}})`, `({${text}})`, `[${text}]`];
  const reads = ways.some((way) => {
    try {
      transpiler.transformSync(way);
      return true;
    } catch {
      return false;
    }
  });
  if (!reads) transpiler.transformSync(text);
}

/** Runs a program, if installed, with a file or with standard input. */
async function asked(command: readonly string[], file: string, text: string): Promise<void> {
  if (!Bun.which(command[0]!)) return;
  const directory = temporaryDirectory();
  try {
    if (file !== "") writeFileSync(join(directory, file), text);
    const run = Bun.spawn(file === "" ? [...command] : [...command, join(directory, file)], {
      cwd: directory,
      stdin: new Blob([text]),
      stdout: "ignore",
      stderr: "pipe",
    });
    const [said, code] = await Promise.all([run.stderr.text(), run.exited]);
    if (code !== 0) throw new Error(said);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

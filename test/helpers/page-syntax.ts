/** Checks the syntax of documentation blocks that are not run, with available tools. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./data-directory";
import type { Block } from "./page-blocks";

/** @throws Error with what is wrong. */
export async function checkSyntax({ language, text }: Block): Promise<void> {
  switch (language) {
    case "sh":
      return runChecker(["bash", "-n"], "", text);
    case "zsh":
      return runChecker(["zsh", "-n"], "", text);
    case "fish":
      return runChecker(["fish", "--no-execute"], "", text);
    case "json":
      return void JSON.parse(text);
    case "yaml":
      return void Bun.YAML.parse(text);
    case "toml":
      return void Bun.TOML.parse(text);
    case "ts":
    case "js":
      return checkCode(text);
    case "python":
      return runChecker(
        ["python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"],
        "",
        text,
      );
    case "nginx":
      return runChecker(
        ["nginx", "-t", "-e", "stderr", "-g", "pid /dev/null;", "-c"],
        "nginx.conf",
        `events {}\nhttp { server {\n${text}\n} }\n`,
      );
    case "caddyfile":
      return runChecker(
        ["caddy", "adapt", "--adapter", "caddyfile", "--config"],
        "Caddyfile",
        `dossier.example {\n${text}\n}\n`,
      );
    case "text":
      return;
    default:
      throw new Error(`no check of the syntax of ${language || "a block without a language"}`);
  }
}

/** Accepts statements, an expression, and a part of a list or of an object. */
function checkCode(shown: string): void {
  // An omission, as an argument.
  const text = shown.replaceAll(", …", "");
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const forms = [text, `(async () => {${text}})`, `({${text}})`, `[${text}]`];
  const is_code = forms.some((way) => {
    try {
      transpiler.transformSync(way);
      return true;
    } catch {
      return false;
    }
  });
  if (!is_code) transpiler.transformSync(text);
}

/** Runs a program, if installed, with a file or with standard input. */
async function runChecker(command: readonly string[], file: string, text: string): Promise<void> {
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
    const [output, code] = await Promise.all([run.stderr.text(), run.exited]);
    if (code !== 0) throw new Error(output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

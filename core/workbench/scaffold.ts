/** `dossier plugin new`: creates the directory of a new plugin from a working template. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { UsageError } from "../plugin/command";
import type { Kind } from "./kinds";
import { readKit } from "./kit";
import { own_tsconfig, writeSupport } from "./support";

const name_length_max = 40;
/** The plugin's name in every template. */
const template_name = "my-plugin";

/** `reading-list` → `ReadingList`, `readingList`, `reading_list`, `Reading list`. */
function spellings(name: string): readonly (readonly [string, string])[] {
  const words = name.split("-");
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const pascal = words.map(upper).join("");
  return [
    [template_name, name],
    ["my_plugin", name.replaceAll("-", "_")],
    ["MY_PLUGIN", name.replaceAll("-", "_").toUpperCase()],
    ["MyPlugin", pascal],
    ["myPlugin", pascal.charAt(0).toLowerCase() + pascal.slice(1)],
    ["My plugin", upper(words.join(" "))],
  ];
}

/**
 * Creates the directory, which may exist if it is empty, and returns its path. @throws UsageError
 */
export async function newPlugin(
  path: string,
  kind: Kind,
  { self, taken }: { readonly self: readonly string[]; readonly taken: ReadonlySet<string> },
): Promise<string> {
  const directory = resolve(path);
  const name = basename(directory);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > name_length_max)
    throw new UsageError(
      `${JSON.stringify(name)} is not a valid plugin name. Use lower-case letters, digits ` +
        `and single dashes, starting with a letter, at most ${name_length_max} characters`,
    );
  if (taken.has(name))
    throw new UsageError(`there is a built-in plugin ${name}. Choose another name`);
  if (existsSync(directory) && readdirSync(directory).some((entry) => !entry.startsWith(".")))
    throw new UsageError(`${directory} already exists and is not empty`);
  const { files } = await readKit();
  const prefix = `templates/${kind}/`;
  for (const [path, text] of files) {
    if (!path.startsWith(prefix)) continue;
    let renamed = text;
    for (const [from, to] of spellings(name)) renamed = renamed.replaceAll(from, to);
    await Bun.write(join(directory, path.slice(prefix.length)), renamed);
  }
  await Bun.write(join(directory, "tsconfig.json"), own_tsconfig);
  await Bun.write(join(directory, ".gitignore"), `.dossier/\nnode_modules/\n/${name}.js\n`);
  await writeSupport(directory, self);
  return directory;
}

/**
 * A plugin's `.dossier` directory: what editors, the compiler and tests need to know of this
 * executable.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../base/version";
import { kitHash, readKit } from "./kit";
import { stamp_file, support, type Stamp } from "./project";

function readStamp(directory: string): Stamp | null {
  try {
    return JSON.parse(readFileSync(join(directory, support, stamp_file), "utf8")) as Stamp;
  } catch {
    return null;
  }
}

/**
 * The compiler options for plugins. The project's own tsconfig.json extends them, so that it
 * follows the executable.
 */
const compiler_options = {
  compilerOptions: {
    target: "esnext",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["esnext"],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["bun-types"],
    typeRoots: ["./node_modules", "./node_modules/@types"],
    paths: {
      dossier: ["./dossier"],
      "dossier/contracts": ["./contracts"],
      "dossier/test": ["./test"],
    },
  },
};

/** For a plugin without a tsconfig.json. */
export const own_tsconfig = `{
  "extends": "./.dossier/tsconfig.json",
  "include": ["**/*.ts"]
}
`;

/** Writes the contract of this executable into `.dossier`. `command`: starts this executable. */
export async function writeSupport(directory: string, command: readonly string[]): Promise<void> {
  const { hash, files } = await readKit();
  const support_directory = join(directory, support);
  for (const name of ["types", "runtime", "node_modules", "docs", "examples", stamp_file])
    rmSync(join(support_directory, name), { recursive: true, force: true });
  for (const [path, text] of files)
    if (!path.startsWith("templates/")) await Bun.write(join(support_directory, path), text);
  await Bun.write(join(support_directory, ".gitignore"), "*\n");
  await Bun.write(
    join(support_directory, "tsconfig.json"),
    `${JSON.stringify(compiler_options, null, 2)}\n`,
  );
  const stamp: Stamp = { version, hash, command };
  await Bun.write(join(support_directory, stamp_file), `${JSON.stringify(stamp, null, 2)}\n`);
}

/**
 * Makes sure that `.dossier` matches this executable and that there is a tsconfig.json. Returns a
 * sentence about what it did, or null.
 */
export async function refreshSupport(
  directory: string,
  command: readonly string[],
): Promise<string | null> {
  const config = join(directory, "tsconfig.json");
  if (!existsSync(config)) await Bun.write(config, own_tsconfig);
  const stamp = readStamp(directory);
  const is_current = stamp?.hash === (await kitHash());
  if (is_current && stamp.command.join("\0") === command.join("\0")) return null;
  await writeSupport(directory, command);
  if (stamp === null) return `The types of Dossier ${version} are in ${join(directory, support)}.`;
  if (is_current) return null;
  const older = stamp.version === version ? `another build of ${version}` : stamp.version;
  return `The types were those of Dossier ${older} and have been updated.`;
}

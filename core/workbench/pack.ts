/** Bundles a plugin, its files and the packages it uses into the one file that Dossier loads. */
import { mkdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import type { Project } from "./project";

/** Provided to plugins by the host at run time: must not be bundled. */
const host_packages = ["dossier", "dossier/contracts", "@sinclair/typebox"];

/** Why a plugin can't be bundled: one line per reason, `file:line:column: why`. */
export class PackFailure extends Error {
  override readonly name = "PackFailure";
}

/** The bundle of `entry`, as text. `with_map`: with a source map. @throws PackFailure */
export async function packPlugin(entry: string, with_map = false): Promise<string> {
  const packed = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    external: host_packages,
    sourcemap: with_map ? "inline" : "none",
    throw: false,
  });
  if (!packed.success) throw new PackFailure(packed.logs.map(problemLine).join("\n"));
  const [bundle, ...other_files] = packed.outputs;
  if (!bundle || other_files.length > 0) {
    const names = other_files.map(({ path }) => basename(path)).join(", ");
    throw new PackFailure(
      `${basename(entry)} can't be bundled into one file, because ${names} would be ` +
        'separate. Import it with { type: "text" }, or as JSON.',
    );
  }
  const text = await bundle.text();
  return with_map ? withAbsoluteSources(text) : text;
}

/** The map has source paths relative to here, which is not where the bundle will be. */
function withAbsoluteSources(text: string): string {
  const [start, map] = text.split(/(?<=\/\/# sourceMappingURL=data:application\/json;base64,)/);
  if (map === undefined) return text;
  const source_map = JSON.parse(Buffer.from(map, "base64").toString()) as { sources: string[] };
  const sources = source_map.sources.map((source) => resolve(source));
  return start + Buffer.from(JSON.stringify({ ...source_map, sources })).toString("base64");
}

/** Writes the plugin as a server loads it, with a source map. Returns the file. */
export async function packInto({ entry, name }: Project, directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${name}.js`);
  await Bun.write(file, await packPlugin(entry, true));
  return file;
}

/** `plugin.ts:3:7: Could not resolve …` */
function problemLine(log: BuildMessage | ResolveMessage): string {
  const { position, message } = log;
  const missing = /Could not resolve: "([^".][^"]*)"/.exec(message)?.[1];
  const hint = missing
    ? ` (a package is installed with \`BUN_BE_BUN=1 dossier add ${missing}\`, or with npm)`
    : "";
  const place = position
    ? `${relative(process.cwd(), position.file)}:${position.line}:${position.column}: `
    : "";
  return `${place}${message}${hint}`;
}

/**
 * Manages the plugins directory: a file is tried out as the next start would load it, and then
 * moved into its place in one step.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { HttpError } from "../base/errors";
import { fileStem, findPluginFiles } from "./loader";
import type {
  Added,
  FoundPlugins,
  HashedFile,
  NewPlugin,
  PluginDescription,
  PluginFile,
  PluginFiles,
} from "./plugin-files";
import { refusalReason, type TriedOut } from "./preflight";
import { readRunningPlugins, type RunningPlugin } from "./running-plugins";

export interface PluginDirectoryOptions {
  readonly data: string;
  readonly directory: string;
  /** Names of the built-in plugins. */
  readonly built_in: readonly string[];
  /** The files loaded by this process. */
  readonly loaded: readonly string[];
  /** Imports files and sets them up on scratch data; describes built-in plugins, too. */
  readonly tryOut: (files: readonly string[]) => Promise<TriedOut>;
  /** Why these can't all be disabled. */
  readonly disablingProblems: (names: readonly string[]) => string[];
}
export class PluginDirectory implements PluginFiles {
  private found: { readonly key: string; readonly plugins: Promise<FoundPlugins> } | null = null;

  readonly loaded: ReadonlyMap<string, string>;

  constructor(private readonly options: PluginDirectoryOptions) {
    this.loaded = new Map(
      options.loaded.map((file) => [file, sha256Of(readFileSync(file))] as const),
    );
  }

  get directory(): string {
    return this.options.directory;
  }

  get built_in(): readonly string[] {
    return this.options.built_in;
  }

  disablingProblems(names: readonly string[]): string[] {
    return this.options.disablingProblems(names);
  }

  /** Only lists the files; runs none of them. */
  files(): HashedFile[] {
    return findPluginFiles(this.directory).map((file) => ({
      file,
      stem: fileStem(file),
      sha256: sha256Of(readFileSync(file)),
    }));
  }

  /** What the server on this data directory has loaded, if there is one. */
  running(): readonly RunningPlugin[] {
    return readRunningPlugins(this.options.data);
  }

  /** Tries out all files; repeated only when one of them has changed. */
  async find(): Promise<FoundPlugins> {
    const files = this.files();
    const key = JSON.stringify(files);
    if (this.found?.key === key) return this.found.plugins;
    const paths = files.map(({ file }) => file);
    const plugins = this.options.tryOut(paths).then((tried) => foundIn(files, tried));
    this.found = { key, plugins };
    plugins.catch(() => (this.found = null));
    return plugins;
  }

  async add({ bytes, shown, replace, sha256 }: NewPlugin): Promise<Added> {
    const own_sha256 = sha256Of(bytes);
    if (sha256 !== null && sha256.toLowerCase() !== own_sha256)
      throw refused(
        "wrong_sha256",
        `${shown} does not match the expected SHA-256: it is ${own_sha256}, not ${sha256}.`,
      );
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const installed = await this.find();
    const staging = mkdtempSync(join(this.directory, ".adding-"));
    try {
      const staged = join(staging, `candidate${extensionOf(shown)}`);
      writeFileSync(staged, bytes, { mode: 0o644 });
      const isReplaceable = (file: PluginFile) => replace || file.sha256 === own_sha256;
      const checked = await this.check(staged, shown, isReplaceable, installed);
      const { description, replaced } = checked;
      const { name, version } = description;
      const file = join(this.directory, `${name}${extensionOf(shown)}`);
      renameSync(staged, file);
      if (replaced !== null && replaced.file !== file) removeFile(replaced.file, this.directory);
      this.remember(checked.tried, staged, file);
      return { name, version, file, sha256: own_sha256, replaced, description };
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }

  /** Checks that the next start would load it without leaving out another plugin for it. */
  private async check(
    staged: string,
    shown: string,
    isReplaceable: (installed: PluginFile) => boolean,
    installed: FoundPlugins,
  ): Promise<{
    readonly description: PluginDescription;
    readonly replaced: PluginFile | null;
    readonly tried: TriedOut;
  }> {
    const reasonIn = ({ bad }: TriedOut): string | undefined =>
      refusalReason(bad.get(staged))?.replaceAll(staged, shown);
    const others = installed.files.map(({ file }) => file);
    const last = await this.options.tryOut([...others, staged]);
    const description = last.found.get(staged);
    if (description === undefined)
      throw refused(
        "bad_plugin",
        `${shown} can't be added: ${reasonIn(last) ?? "it is not a plugin"}.`,
      );
    const replaced = this.requireName(description, shown, isReplaceable, installed);
    // The files as they will be afterwards, sorted by name.
    const target = join(this.directory, `${description.name}${extensionOf(shown)}`);
    const rest = others.filter((file) => file !== replaced?.file);
    const later = [...rest, staged].sort((a, b) =>
      (a === staged ? target : a) < (b === staged ? target : b) ? -1 : 1,
    );
    const is_last = others.length === rest.length && later.at(-1) === staged;
    const next = is_last ? last : await this.options.tryOut(later);
    const reason = reasonIn(next);
    if (reason !== undefined) throw refused("bad_plugin", `${shown} can't be added: ${reason}.`);
    for (const { file, name, reason: before } of installed.files) {
      const after = refusalReason(next.bad.get(file));
      if (rest.includes(file) && before === null && after !== undefined)
        throw refused(
          "bad_plugin",
          `${shown} can't be added, because ${name} would be left out: ${after}.`,
        );
    }
    return { description: next.found.get(staged) ?? description, replaced, tried: next };
  }

  /** Keeps the result of the trial: the staged file is the one that was moved into place. */
  private remember({ bad, found }: TriedOut, staged: string, file: string): void {
    const files = this.files();
    const description = found.get(staged);
    const moved = new Map(found);
    if (description) moved.set(file, description);
    const plugins = Promise.resolve(foundIn(files, { bad, found: moved }));
    this.found = { key: JSON.stringify(files), plugins };
  }

  private requireName(
    { name, version }: PluginDescription,
    shown: string,
    isReplaceable: (installed: PluginFile) => boolean,
    { files }: FoundPlugins,
  ): PluginFile | null {
    if (this.options.built_in.includes(name))
      throw clash(`${shown} has the name of the built-in plugin ${name}. Rename it.`);
    const installed =
      files.find((file) => file.name === name || fileStem(file.file) === name) ?? null;
    if (installed === null || isReplaceable(installed)) return installed;
    const has = installed.description?.version ?? "of an unknown version";
    throw clash(
      `The plugin ${name} ${has} is already installed, in ${installed.file}. To replace it ` +
        `with ${version}, use --replace.`,
    );
  }

  /** Removes a file, and the directory that belongs to it. */
  remove(file: string): void {
    removeFile(file, this.directory);
  }
}

const sha256Of = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

const foundIn = (files: readonly HashedFile[], { bad, found }: TriedOut): FoundPlugins => ({
  files: files.map(({ file, stem, sha256 }) => {
    const description = found.get(file) ?? null;
    const name = description?.name ?? stem;
    return { file, sha256, name, description, reason: refusalReason(bad.get(file)) ?? null };
  }),
});

const extensionOf = (shown: string): string => (/\.ts(\?.*)?$/.test(shown) ? ".ts" : ".js");

/** `name/plugin.ts` is removed with its directory; of a link only the link itself. */
function removeFile(file: string, directory: string): void {
  const below = dirname(file);
  const path = below === directory || !/^plugin\.(ts|js)$/.test(basename(file)) ? file : below;
  if (!existsSync(path)) return;
  rmSync(path, { recursive: !lstatSync(path).isSymbolicLink(), force: true });
}

const refused = (code: string, detail: string): HttpError => new HttpError(400, code, detail);
const clash = (detail: string): HttpError => new HttpError(409, "name_taken", detail);

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

/** The directory, and how its files are tried out. */
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
/** The plugins directory of one data directory. */
export class PluginDirectory implements PluginFiles {
  private found_plugins: { readonly key: string; readonly plugins: Promise<FoundPlugins> } | null =
    null;

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
    if (this.found_plugins?.key === key) return this.found_plugins.plugins;
    const paths = files.map(({ file }) => file);
    const plugins = this.options.tryOut(paths).then((tried) => foundIn(files, tried));
    this.found_plugins = { key, plugins };
    plugins.catch(() => (this.found_plugins = null));
    return plugins;
  }

  async add({ bytes, shown, replace, sha256 }: NewPlugin): Promise<Added> {
    const actual_sha256 = sha256Of(bytes);
    if (sha256 !== null && sha256.toLowerCase() !== actual_sha256)
      throw refused(
        "wrong_sha256",
        `${shown} does not match the expected SHA-256: it is ${actual_sha256}, not ${sha256}.`,
      );
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const installed = await this.find();
    const staging = mkdtempSync(join(this.directory, ".adding-"));
    try {
      const staged = join(staging, `candidate${extensionOf(shown)}`);
      writeFileSync(staged, bytes, { mode: 0o644 });
      const isReplaceable = (file: PluginFile) => replace || file.sha256 === actual_sha256;
      const checked = await this.check(staged, shown, isReplaceable, installed);
      const { description, replaced } = checked;
      const { name, version } = description;
      const file = join(this.directory, `${name}${extensionOf(shown)}`);
      renameSync(staged, file);
      if (replaced !== null && replaced.file !== file) removeFile(replaced.file, this.directory);
      this.remember(checked.tried, staged, file);
      return { name, version, file, sha256: actual_sha256, replaced, description };
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
    const installed_paths = installed.files.map(({ file }) => file);
    const with_candidate = await this.options.tryOut([...installed_paths, staged]);
    const description = with_candidate.found.get(staged);
    if (description === undefined)
      throw refused(
        "bad_plugin",
        `${shown} can't be added: ${reasonIn(with_candidate) ?? "it is not a plugin"}.`,
      );
    const replaced = this.requireName(description, shown, isReplaceable, installed);
    // The files as they will be afterwards, sorted by name.
    const target = join(this.directory, `${description.name}${extensionOf(shown)}`);
    const remaining = installed_paths.filter((file) => file !== replaced?.file);
    const final_order = [...remaining, staged].sort((a, b) =>
      (a === staged ? target : a) < (b === staged ? target : b) ? -1 : 1,
    );
    const is_last = installed_paths.length === remaining.length && final_order.at(-1) === staged;
    const outcome = is_last ? with_candidate : await this.options.tryOut(final_order);
    const reason = reasonIn(outcome);
    if (reason !== undefined) throw refused("bad_plugin", `${shown} can't be added: ${reason}.`);
    for (const { file, name, reason: reason_before } of installed.files) {
      const reason_after = refusalReason(outcome.bad.get(file));
      if (remaining.includes(file) && reason_before === null && reason_after !== undefined)
        throw refused(
          "bad_plugin",
          `${shown} can't be added, because ${name} would be left out: ${reason_after}.`,
        );
    }
    return { description: outcome.found.get(staged) ?? description, replaced, tried: outcome };
  }

  /** Keeps the result of the trial: the staged file is the one that was moved into place. */
  private remember({ bad, found }: TriedOut, staged: string, file: string): void {
    const files = this.files();
    const description = found.get(staged);
    const moved = new Map(found);
    if (description) moved.set(file, description);
    const plugins = Promise.resolve(foundIn(files, { bad, found: moved }));
    this.found_plugins = { key: JSON.stringify(files), plugins };
  }

  private requireName(
    { name, version }: PluginDescription,
    shown: string,
    isReplaceable: (installed: PluginFile) => boolean,
    { files }: FoundPlugins,
  ): PluginFile | null {
    if (this.options.built_in.includes(name))
      throw nameTaken(`${shown} has the name of the built-in plugin ${name}. Rename it.`);
    const installed =
      files.find((file) => file.name === name || fileStem(file.file) === name) ?? null;
    if (installed === null || isReplaceable(installed)) return installed;
    const installed_version = installed.description?.version ?? "of an unknown version";
    throw nameTaken(
      `The plugin ${name} ${installed_version} is already installed, in ` +
        `${installed.file}. To replace it with ${version}, use --replace.`,
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
  const parent = dirname(file);
  const path = parent === directory || !/^plugin\.(ts|js)$/.test(basename(file)) ? file : parent;
  if (!existsSync(path)) return;
  rmSync(path, { recursive: !lstatSync(path).isSymbolicLink(), force: true });
}

const refused = (code: string, detail: string): HttpError => new HttpError(400, code, detail);
const nameTaken = (detail: string): HttpError => new HttpError(409, "name_taken", detail);

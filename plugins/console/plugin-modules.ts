/**
 * The pages and panels that plugins add, as far as they can be shown, and the modules that the
 * browser loads for them.
 */
import type { Filled } from "../../core/sdk";
import {
  console_root,
  reserved_paths,
  type ConsoleModule,
  type ConsolePage,
  type ConsolePanel,
} from "./contract";

const name_pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const bad_name = "is not lower case letters, digits and single dashes";
const places: ReadonlySet<string> = new Set(["document", "folder", "chat", "signin"]);

export const modules_path = `${console_root}/modules/`;

/** A page or a panel, the plugin that brings it, and where its module is found. */
export type Shown<T> = T & { readonly plugin: string; readonly module_path: string };
export type Rejected = (of: { plugin: string; title: string }, reason: string) => void;

export interface AddedParts {
  readonly pages: () => readonly Filled<ConsolePage>[];
  readonly panels: () => readonly Filled<ConsolePanel>[];
}

/** What plugins add to the console now: slots come and go with settings. */
export class AddedModules {
  readonly #texts = new WeakMap<object, string>();

  constructor(private readonly read: AddedParts) {}

  /**
   * In the order of their titles; the first of two with one path is shown. `onRejected` is told of
   * every other, and why.
   */
  pages(onRejected: Rejected = () => undefined): readonly Shown<ConsolePage>[] {
    const shown = new Map<string, Shown<ConsolePage>>();
    for (const { plugin, value } of this.read.pages()) {
      const { path, title } = value;
      if (!name_pattern.test(path) || reserved_paths.has(path))
        onRejected({ plugin, title }, `its path ${path} ${bad_name}, or belongs to the console`);
      else if (shown.has(path))
        onRejected({ plugin, title }, `another plugin has a page with the path ${path}`);
      else shown.set(path, { ...value, plugin, module_path: `${modules_path}pages/${path}.js` });
    }
    return [...shown.values()].sort(byTitle);
  }

  /** In the order of their titles; the first of two of a plugin with one id is shown. */
  panels(onRejected: Rejected = () => undefined): readonly Shown<ConsolePanel>[] {
    const shown = new Map<string, Shown<ConsolePanel>>();
    for (const { plugin, value } of this.read.panels()) {
      const { id, where, title } = value;
      const key = `${plugin}/${id}`;
      if (!places.has(where))
        onRejected({ plugin, title }, `there is no place ${where}: ${[...places].join(", ")}`);
      else if (!name_pattern.test(id)) onRejected({ plugin, title }, `its id ${id} ${bad_name}`);
      else if (shown.has(key))
        onRejected({ plugin, title }, `the plugin has another panel with the id ${id}`);
      else shown.set(key, { ...value, plugin, module_path: `${modules_path}panels/${key}.js` });
    }
    return [...shown.values()].sort(byTitle);
  }

  /** The text of the module at a path; undefined when there is none. */
  moduleAt(path: string): string | undefined {
    const found = [...this.pages(), ...this.panels()].find(
      ({ module_path }) => module_path === path,
    );
    return found && this.#textOf(found.module);
  }

  #textOf(module: ConsoleModule<never>): string {
    if (typeof module === "string") return module;
    const text = this.#texts.get(module) ?? moduleText(module);
    this.#texts.set(module, text);
    return text;
  }
}

const byTitle = (one: { title: string }, other: { title: string }): number =>
  one.title.localeCompare(other.title);

/** A function, an arrow, or a method as it stands in an object. */
function moduleText(mount: (...given: never[]) => unknown): string {
  const text = String(mount);
  const is_expression = /^(async\s+)?(function\b|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
  if (is_expression.test(text)) return `export default { mount: ${text} };\n`;
  return `const made = { ${text} };\nexport default { mount: Object.values(made)[0] };\n`;
}

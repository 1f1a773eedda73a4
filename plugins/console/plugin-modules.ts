/** The valid pages and panels of plugins, and the modules that the browser loads for them. */
import type { Filled } from "../../core/sdk";
import {
  console_root,
  reserved_paths,
  type ConsoleModule,
  type ConsolePage,
  type ConsolePanel,
} from "./contract";

const name_pattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const name_rule = "must consist of lower-case letters, digits and single dashes";
const places: ReadonlySet<string> = new Set(["document", "folder", "chat", "signin"]);

/** The modules of plugins are below this path. */
export const modules_path = `${console_root}/modules/`;

/** A page or panel, its plugin, and the address of its module. */
export type Shown<T> = T & { readonly plugin: string; readonly module_path: string };
/** Learns of a page or panel that is not shown, and why: the end of a sentence. */
export type OnRejected = (rejected: { plugin: string; title: string }, reason: string) => void;

/** What fills the slots at the moment. */
export interface AddedModulesOptions {
  readonly pages: () => readonly Filled<ConsolePage>[];
  readonly panels: () => readonly Filled<ConsolePanel>[];
}

/** The current pages and panels of plugins: slots change with settings. */
export class AddedModules {
  private readonly texts = new WeakMap<object, string>();

  constructor(private readonly options: AddedModulesOptions) {}

  /**
   * Sorted by title; if two have the same path, the first is shown. `onRejected` is called for
   * every other one, with the reason.
   */
  pages(onRejected: OnRejected = () => undefined): readonly Shown<ConsolePage>[] {
    const shown = new Map<string, Shown<ConsolePage>>();
    for (const { plugin, value } of this.options.pages()) {
      const { path, title } = value;
      if (!name_pattern.test(path) || reserved_paths.has(path))
        onRejected({ plugin, title }, `its path ${path} ${name_rule}, or belongs to the console`);
      else if (shown.has(path))
        onRejected({ plugin, title }, `another plugin has a page with the path ${path}`);
      else shown.set(path, { ...value, plugin, module_path: `${modules_path}pages/${path}.js` });
    }
    return [...shown.values()].sort(byTitle);
  }

  /** Sorted by title; if two of a plugin have the same id, the first is shown. */
  panels(onRejected: OnRejected = () => undefined): readonly Shown<ConsolePanel>[] {
    const shown = new Map<string, Shown<ConsolePanel>>();
    for (const { plugin, value } of this.options.panels()) {
      const { id, where, title } = value;
      const key = `${plugin}/${id}`;
      if (!places.has(where))
        onRejected({ plugin, title }, `there is no place ${where}: ${[...places].join(", ")}`);
      else if (!name_pattern.test(id)) onRejected({ plugin, title }, `its id ${id} ${name_rule}`);
      else if (shown.has(key))
        onRejected({ plugin, title }, `the plugin has another panel with the id ${id}`);
      else shown.set(key, { ...value, plugin, module_path: `${modules_path}panels/${key}.js` });
    }
    return [...shown.values()].sort(byTitle);
  }

  /** The source of the module at a path; undefined if there is none. */
  moduleAt(path: string): string | undefined {
    const added = [...this.pages(), ...this.panels()].find(
      ({ module_path }) => module_path === path,
    );
    return added && this.textOf(added.module);
  }

  private textOf(module: ConsoleModule<never>): string {
    if (typeof module === "string") return module;
    const text = this.texts.get(module) ?? moduleText(module);
    this.texts.set(module, text);
    return text;
  }
}

const byTitle = (a: { title: string }, b: { title: string }): number =>
  a.title.localeCompare(b.title);

/** The source of an ES module from a function, an arrow function, or a method of an object. */
function moduleText(mount: (...args: never[]) => unknown): string {
  const text = String(mount);
  const is_expression = /^(async\s+)?(function\b|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
  if (is_expression.test(text)) return `export default { mount: ${text} };\n`;
  return `const methods = { ${text} };\nexport default { mount: Object.values(methods)[0] };\n`;
}

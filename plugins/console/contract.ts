/** The console for other plugins: how to add a page to it, or a panel to one of its own pages. */
import { shaped, slot } from "../../core/sdk";
import type { ConsoleHost, HostOf, Mount, PanelPlace } from "./page-contract";

export type {
  ButtonOptions,
  CallOptions,
  CallProblem,
  ConsoleComponents,
  ConsoleHost,
  Content,
  DialogOptions,
  FieldOptions,
  FormField,
  HostOf,
  Mount,
  PageElement,
  PanelHost,
  PanelPlace,
  PanelRecords,
  RecordChange,
  ShownHost,
  SignInHost,
  TableColumn,
  TableOptions,
} from "./page-contract";

/** The path of the console, below the server's base path. */
export const console_root = "/console";

/**
 * The code that runs in the browser: a self-contained function, because only its source text is
 * sent; or the text of an ES module whose default export is `{ mount(root, host) }`. It fills the
 * element `root` and returns nothing, or a function to call when the page is left.
 */
export type ConsoleModule<H> = string | Mount<H>;

/** A page that a plugin adds to the console. */
export interface ConsolePage {
  /** The page's path below `/console/`: lower case letters, digits and dashes. */
  readonly path: string;
  /** The label in the navigation. */
  readonly title: string;
  readonly group: "work" | "developer" | "admin";
  readonly module: ConsoleModule<ConsoleHost>;
}
/**
 * The pages that plugins add. A plugin whose page is invalid, or has the path of another page, is
 * left out.
 */
export const ConsolePages = slot<ConsolePage>("console.pages", {
  check: (value) => shapeOfPage(value) ?? problemOfPage(value as ConsolePage),
  key: ({ path }) => `the page ${path}`,
  is_data: true,
});
const shapeOfPage = shaped<ConsolePage>({ path: "text", title: "text", group: "text" });

/** Reserved paths below `/console/`: files, the API, and the console's own pages. */
export const reserved_paths: ReadonlySet<string> = new Set([
  ...["api", "assets", "modules"],
  ...["sign-in", "setup", "invite", "account"],
  ...["folders", "documents", "chats", "search", "prompts", "imports", "transcriptions"],
  ...["keys", "webhooks", "reference", "usage"],
  ...["users", "audit", "backups", "plugins", "system"],
]);
function problemOfPage({ path, group, module }: ConsolePage): string | null {
  if (reserved_paths.has(path)) return `the console has a page /console/${path} of its own`;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(path))
    return (
      `its path ${JSON.stringify(path)} must consist of lower-case letters, digits and ` +
      "single dashes"
    );
  if (!["work", "developer", "admin"].includes(group))
    return `its group must be work, developer or admin, not ${JSON.stringify(group)}`;
  return typeof module === "string" || typeof module === "function"
    ? null
    : "its module must be a function, or the text of an ES module";
}

/** A panel that a plugin adds to a page of the console: a card below the existing content. */
export interface ConsolePanelOf<W extends PanelPlace> {
  /** The page it is added to; on the sign-in page nobody is signed in. */
  readonly where: W;
  /** Unique among the plugin's panels: lower case letters, digits and dashes. */
  readonly id: string;
  /** The heading of the panel. */
  readonly title: string;
  readonly module: ConsoleModule<HostOf<W>>;
}
/** A panel of any place. */
export type ConsolePanel = { [W in PanelPlace]: ConsolePanelOf<W> }[PanelPlace];
/** The panels that plugins add. */
export const ConsolePanels = slot<ConsolePanel>("console.panels", {
  check: shaped<ConsolePanel>({ where: "text", id: "text", title: "text" }),
  is_data: true,
});

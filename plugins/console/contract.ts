/** The console for other plugins: how to add a page to it, and a panel to one of its own pages. */
import { slot } from "../../core/sdk";
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

export const console_root = "/console";

/**
 * What runs in the browser: a function that uses nothing from around it, because only its text gets
 * there; or the text of an ES module whose default export is `{ mount(root, host) }`. It fills the
 * element `root` and returns nothing, or a function to call when it is left.
 */
export type ConsoleModule<H> = string | Mount<H>;

/** A page of the console that a plugin adds. */
export interface ConsolePage {
  /** The page's address below `/console/`: lower case letters, digits and dashes. */
  readonly path: string;
  /** The name in the navigation. */
  readonly title: string;
  readonly group: "work" | "developer" | "admin";
  readonly module: ConsoleModule<ConsoleHost>;
}
export const ConsolePages = slot<ConsolePage>("console.pages");

/** A panel that a plugin adds to a page of the console: a card beside what is there already. */
export interface ConsolePanelOf<W extends PanelPlace> {
  /** Beside what it stands; on the sign-in page nobody is signed in. */
  readonly where: W;
  /** Different from the plugin's other panels: lower case letters, digits and dashes. */
  readonly id: string;
  /** Above the panel. */
  readonly title: string;
  readonly module: ConsoleModule<HostOf<W>>;
}
export type ConsolePanel = { [W in PanelPlace]: ConsolePanelOf<W> }[PanelPlace];
export const ConsolePanels = slot<ConsolePanel>("console.panels");

/** The console for other plugins: how to add a page to it. */
import { slot } from "../../core/sdk";

export const console_root = "/console";

/** A page of the console that a plugin adds. */
export interface ConsolePage {
  /** The page's address below `/console/`: lower case letters, digits and dashes. */
  readonly path: string;
  /** The name in the navigation. */
  readonly title: string;
  readonly group: "work" | "developer" | "admin";
  /**
   * The text of an ES module. Its default export is `{ mount(root, host) }`: it fills the element
   * `root` and returns nothing, or a function to call when the page is left. What `host` offers is
   * `{ api(path, init): Promise<Response>, navigate(path), theme(): "light" | "dark", onLeave(work)
   * }`; `api` calls `/console/api/v1` in the name of whoever is signed in.
   */
  readonly module: string;
}
export const ConsolePages = slot<ConsolePage>("console.pages");
